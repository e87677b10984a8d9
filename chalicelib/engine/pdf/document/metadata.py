"""Metadata of a document: XMP, dates, language, and what readers show as its title."""

import datetime as dt
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from chalicelib.core.text import NOT_IN_XML

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.contract.options.pdf import PdfMetadata

# Fixed, so that the same request gives the same bytes.
_DEFAULT_DATE: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
# XMP packet (ISO 16684-1). identification.py adds the conformance claims to its end.
_PACKET: Final = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">'
    '%s</rdf:Description>\n</rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>'
)


def document_date(metadata: "PdfMetadata") -> dt.datetime:
    """Return the caller's `created_at`, or else a fixed moment; in UTC."""
    if metadata.created_at is None:
        return _DEFAULT_DATE
    return dt.datetime.fromisoformat(metadata.created_at).astimezone(dt.UTC)


def pdf_date(moment: dt.datetime) -> str:
    """Return a moment in UTC as a PDF date (ISO 32000-1, 7.9.4)."""
    return f"D:{moment:%Y%m%d%H%M%S}+00'00'"


def set_xmp(document: "pikepdf.Pdf", *properties: str) -> None:
    """Set the XMP packet of a document, of properties of the schemas dc, pdf and xmp."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    packet = (_PACKET % "".join(properties)).encode()
    name = pikepdf.Name
    document.Root.Metadata = document.make_stream(packet, Type=name.Metadata, Subtype=name.XML)


def xmp_array(name: str, kind: str, values: Iterable[str | None]) -> str:
    """Return an array of XMP; empty without values."""
    language = ' xml:lang="x-default"' if kind == "Alt" else ""
    items = "".join(f"<rdf:li{language}>{escape(value)}</rdf:li>" for value in values if value)
    return f"<{name}><rdf:{kind}>{items}</rdf:{kind}></{name}>" if items else ""


def xmp_property(name: str, value: str | None) -> str:
    """Return a simple property of XMP; empty without a value."""
    return f"<{name}>{escape(value)}</{name}>" if value else ""


def show_title(document: "pikepdf.Pdf") -> None:
    """Make readers show the title instead of the file's name."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    preferences = document.Root.get("/ViewerPreferences", pikepdf.Dictionary())
    preferences.DisplayDocTitle = True
    document.Root.ViewerPreferences = preferences


def set_language(document: "pikepdf.Pdf", language: str) -> None:
    """Set the language of the document; an empty one removes it."""
    # The browser also sets the language of the root element, which overrides the catalog's
    # (ISO 32000-1, 14.9.2).
    overriding = [root for root in _root_elements(document) if "/Lang" in root]
    for holder in [document.Root, *overriding]:
        if language:
            holder.Lang = language
        elif "/Lang" in holder:
            del holder.Lang


def _root_elements(document: "pikepdf.Pdf") -> "list[pikepdf.Object]":
    """Return the root element of the structure tree, if there is one only."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    tree = document.Root.get("/StructTreeRoot")
    roots = pikepdf.Array() if tree is None else tree.get("/K", pikepdf.Array())
    elements = [roots] if isinstance(roots, pikepdf.Dictionary) else [*roots]
    return elements if len(elements) == 1 and isinstance(elements[0], pikepdf.Dictionary) else []


def xml_safe(text: str) -> str:
    """Return a text without the characters that XML cannot have."""
    return NOT_IN_XML.sub("", text)
