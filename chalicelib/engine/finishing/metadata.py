"""Metadata of a PDF, written twice as readers expect it: as Info dictionary and as XMP."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import structs

from chalicelib.contract.options.pdf import PdfMetadata
from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.finishing.pdfa import has_conformance_target
from chalicelib.engine.pdf.document.metadata import (
    document_date,
    set_language,
    set_xmp,
    show_title,
    xml_safe,
    xmp_array,
    xmp_property,
)

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


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


def _is_needed(finishing: "FinishingContext") -> bool:
    return finishing.output.pdf.metadata != PdfMetadata() or has_conformance_target(finishing)


METADATA: Final = PdfFinisher(_is_needed, _write_metadata)
