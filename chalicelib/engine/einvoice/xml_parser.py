"""Parser for XML from untrusted senders: no DTD, no entities, no network, bounded size."""

from typing import Final
from xml.parsers import expat

from lxml import etree

MAX_XML_BYTES: Final = 64_000_000
# libxml2 takes some hundred bytes for an element or an attribute, however short its text is:
# a small file could fill the memory.
_MAX_TAGS: Final = 3_000_000
_MAX_ATTRIBUTES: Final = 1_500_000
# The validators walk an XML recursively.
_MAX_DEPTH: Final = 256
_IS_TOO_DEEP: Final = etree.XPath(f"boolean({'/*' * (_MAX_DEPTH + 1)})")
_DOCTYPE_MESSAGE: Final = "The XML has a DOCTYPE; remove it: invoices need none, and none is read"


class RefusedXmlError(Exception):
    """XML that is not well-formed or not safe to read; the message names the reason."""


def parse_xml(data: bytes) -> etree._Element:
    """Return the root of a document; raise RefusedXmlError. Comments and PIs are removed."""
    _check_size(data)
    _check_prolog(data)
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        # Otherwise libxml2 stops at 10 MB of text: an embedded document may be larger.
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        message = f"The XML is not well-formed or too deep: {error}"
        raise RefusedXmlError(message) from error
    if _IS_TOO_DEEP(root):
        raise RefusedXmlError(f"The XML has more than {_MAX_DEPTH} elements inside each other")
    # The prolog was checked before by expat; this is the second lock.
    if root.getroottree().docinfo.internalDTD is not None:
        raise RefusedXmlError(_DOCTYPE_MESSAGE)
    return root


def _check_size(data: bytes) -> None:
    if len(data) > MAX_XML_BYTES:
        raise RefusedXmlError(f"The XML has {len(data)} bytes; send at most {MAX_XML_BYTES}")
    if data.count(b"<") > _MAX_TAGS or data.count(b"=") > _MAX_ATTRIBUTES:
        raise RefusedXmlError(
            f"The XML has more than {_MAX_TAGS} tags or {_MAX_ATTRIBUTES} attributes; send fewer"
        )


class _RootReached(Exception):  # noqa: N818 -- stops the parser; no error
    pass


def _check_prolog(data: bytes) -> None:
    """Refuse a DOCTYPE before lxml sees the document: its entities may expand while it parses."""
    prolog = expat.ParserCreate()
    prolog.StartDoctypeDeclHandler = _refuse_doctype
    prolog.StartElementHandler = _stop_at_root
    try:
        prolog.Parse(data, True)  # noqa: FBT003 - a C function
    except _RootReached:
        return
    # LookupError and ValueError: an encoding that Python or expat does not know.
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise RefusedXmlError(f"The XML is not well-formed: {error}") from error


def _refuse_doctype(*_: object) -> None:
    raise RefusedXmlError(_DOCTYPE_MESSAGE)


def _stop_at_root(*_: object) -> None:
    raise _RootReached
