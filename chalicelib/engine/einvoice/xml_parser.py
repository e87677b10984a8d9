"""XML of others: parsed with nothing fetched, expanded or grown."""

from typing import Final
from xml.parsers import expat

from lxml import etree

MAX_XML_BYTES: Final = 64_000_000
# An element costs some hundred bytes of memory, however short it is written; so does an attribute.
_MAX_TAGS: Final = 3_000_000
_MAX_ATTRIBUTES: Final = 1_500_000


class RefusedXmlError(Exception):
    """XML that is not well-formed or not safe to read; the message says which."""


def parse_xml(data: bytes) -> etree._Element:
    """Return the root of a document, or raise RefusedXmlError."""
    _check_size(data)
    _check_prolog(data)
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        message = f"The XML is not well-formed or too deep: {error}"
        raise RefusedXmlError(message) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise RefusedXmlError(_DOCTYPE_MESSAGE)
    return root


_DOCTYPE_MESSAGE: Final = "The XML has a DOCTYPE; remove it: invoices need none, and none is read"


def _check_size(data: bytes) -> None:
    if len(data) > MAX_XML_BYTES:
        raise RefusedXmlError(f"The XML has {len(data)} bytes; send at most {MAX_XML_BYTES}")
    if data.count(b"<") > _MAX_TAGS or data.count(b"=") > _MAX_ATTRIBUTES:
        raise RefusedXmlError(
            f"The XML has more than {_MAX_TAGS} tags or {_MAX_ATTRIBUTES} attributes; send fewer"
        )


class _RootReached(Exception):  # noqa: N818 - ends the look at the prolog, no error
    pass


def _check_prolog(data: bytes) -> None:
    """Refuse a DOCTYPE before anything that it declares is read."""
    prolog = expat.ParserCreate()
    prolog.StartDoctypeDeclHandler = _refuse_doctype
    prolog.StartElementHandler = _stop_at_root
    try:
        prolog.Parse(data, True)  # noqa: FBT003 - a C function
    except _RootReached:
        return
    # The last two: an encoding that expat or Python does not know.
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise RefusedXmlError(f"The XML is not well-formed: {error}") from error


def _refuse_doctype(*_: object) -> None:
    raise RefusedXmlError(_DOCTYPE_MESSAGE)


def _stop_at_root(*_: object) -> None:
    raise _RootReached
