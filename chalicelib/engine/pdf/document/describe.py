"""Description of a document by itself: its metadata, its pages, and whether it is encrypted."""

import datetime as dt
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.core.clock import format_rfc3339
from chalicelib.engine.pdf.document.claims import WRONG_TYPE, read_properties

if TYPE_CHECKING:
    import pikepdf

# Properties of XMP that stand in for absent keys of the Info dictionary.
_XMP_OF_INFO: Final = {
    "/Title": "{http://purl.org/dc/elements/1.1/}title",
    "/Subject": "{http://purl.org/dc/elements/1.1/}description",
    "/Keywords": "{http://ns.adobe.com/pdf/1.3/}Keywords",
    "/Creator": "{http://ns.adobe.com/xap/1.0/}CreatorTool",
    "/Producer": "{http://ns.adobe.com/pdf/1.3/}Producer",
}


class DocumentMetadata(msgspec.Struct, frozen=True):
    """Metadata as the document has them; None for an absent or empty one."""

    title: str | None
    author: str | None
    subject: str | None
    keywords: tuple[str, ...]
    language: str | None
    creator: str | None
    producer: str | None
    created_at: str | None
    modified_at: str | None


class DocumentDescription(msgspec.Struct, frozen=True):
    """Metadata of a document, the number of its pages, and whether it is encrypted."""

    metadata: DocumentMetadata
    pages: int
    encrypted: bool


def describe(document: "pikepdf.Pdf") -> DocumentDescription:
    """Return what the document says of itself: by its Info dictionary, or else by its XMP."""
    xmp = read_properties(document)

    def text(key: str) -> str | None:
        return _info_text(document, key) or xmp.get(_XMP_OF_INFO.get(key, "")) or None

    words = (text("/Keywords") or "").replace(";", ",").split(",")
    metadata = DocumentMetadata(
        title=text("/Title"),
        author=text("/Author"),
        subject=text("/Subject"),
        keywords=tuple(filter(None, map(str.strip, words))),
        language=_text(document.Root.get("/Lang")),
        creator=text("/Creator"),
        producer=text("/Producer"),
        created_at=_moment(text("/CreationDate")),
        modified_at=_moment(text("/ModDate")),
    )
    return DocumentDescription(metadata, len(document.pages), document.is_encrypted)


def _info_text(document: "pikepdf.Pdf", key: str) -> str | None:
    try:
        return _text(document.docinfo.get(key))
    except WRONG_TYPE:
        return None


def _text(value: "pikepdf.Object | None") -> str | None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    return (str(value) or None) if isinstance(value, pikepdf.String) else None


def _moment(text: str | None) -> str | None:
    """Return a PDF date (ISO 32000-1, 7.9.4) in RFC 3339, or None; without a zone it is in UTC."""
    from pikepdf.models.metadata import decode_pdf_date  # noqa: PLC0415 -- see finish_pdf.py

    try:
        moment = decode_pdf_date(text or "")
        return format_rfc3339(moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC))
    except (ValueError, OverflowError):
        return None
