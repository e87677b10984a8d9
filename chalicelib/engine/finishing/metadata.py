"""Metadata of a PDF, written twice as readers expect it: as Info dictionary and as XMP."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from msgspec import structs

from chalicelib.contract.options.pdf import PdfMetadata
from chalicelib.core.text import NOT_IN_XML
from chalicelib.engine.finishing.finisher import PdfFinisher, document_date
from chalicelib.engine.finishing.pdfa import has_conformance_target

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext

# XMP packet (ISO 16684-1). finishing/pdfa.py adds the conformance claims to its end.
_PACKET: Final = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">'
    '%s</rdf:Description>\n</rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>'
)


def page_info(metadata: PdfMetadata, page: Mapping[str, str]) -> Mapping[str, str]:
    """Return the entries of the Info dictionary that the page says and the caller does not."""
    own, completed = _info_entries(metadata), _info_entries(completed_metadata(metadata, page))
    return {
        name: xml_safe(value)
        for name, value in completed.items()
        if value is not None and own[name] is None
    }


def completed_metadata(metadata: PdfMetadata, page: Mapping[str, str]) -> PdfMetadata:
    """Return the caller's metadata with those of the page's head where the caller is silent."""
    if not page:
        return metadata
    author, subject, keywords = metadata.author, metadata.subject, metadata.keywords
    if keywords is None and "keywords" in page:
        keywords = tuple(each.strip() for each in page["keywords"].split(",") if each.strip())
    return structs.replace(
        metadata,
        author=page.get("author") if author is None else author,
        subject=page.get("description") if subject is None else subject,
        keywords=keywords,
    )


def _write_metadata(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    page = finishing.recorder.page_texts.metadata
    metadata = completed_metadata(finishing.output.pdf.metadata, page)
    _write_info(document, metadata)
    _write_xmp(document, metadata)
    if metadata.title is not None:
        show_title(document)
    if metadata.language is not None:
        set_language(document, metadata.language)


def _write_info(document: "pikepdf.Pdf", metadata: PdfMetadata) -> None:
    for name, value in _info_entries(metadata).items():
        if value is not None:
            document.docinfo[name] = xml_safe(value)


def _info_entries(metadata: PdfMetadata) -> dict[str, str | None]:
    keywords = None if metadata.keywords is None else ", ".join(metadata.keywords)
    return {
        "/Title": metadata.title,
        "/Author": metadata.author,
        "/Subject": metadata.subject,
        "/Keywords": keywords,
    }


def _write_xmp(document: "pikepdf.Pdf", metadata: PdfMetadata) -> None:
    # A document without a title gets its URL as title from the browser; make_deterministic leaves
    # only blanks of that.
    info = {name: xml_safe(str(value)).strip() for name, value in document.docinfo.items()}
    moment = f"{document_date(metadata):%Y-%m-%dT%H:%M:%SZ}"
    keywords = [xml_safe(keyword) for keyword in metadata.keywords or ()]
    set_xmp(
        document,
        xmp_property("dc:format", "application/pdf"),
        xmp_array("dc:title", "Alt", [info.get("/Title")]),
        xmp_array("dc:creator", "Seq", [info.get("/Author")]),
        xmp_array("dc:description", "Alt", [info.get("/Subject")]),
        xmp_array("dc:subject", "Bag", keywords),
        xmp_array("dc:language", "Bag", [metadata.language]),
        xmp_property("pdf:Keywords", info.get("/Keywords")),
        xmp_property("pdf:Producer", info.get("/Producer")),
        xmp_property("xmp:CreatorTool", info.get("/Creator")),
        xmp_property("xmp:CreateDate", moment),
        xmp_property("xmp:ModifyDate", moment),
    )


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


def _is_needed(finishing: "FinishingContext") -> bool:
    return finishing.output.pdf.metadata != PdfMetadata() or has_conformance_target(finishing)


METADATA: Final = PdfFinisher(_is_needed, _write_metadata)
