"""Conformance that a document claims in its metadata, and bounded reading of streams."""

import re
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pikepdf

_HEADER_BYTES: Final = 1024
_MAX_METADATA_BYTES: Final = 2_000_000
_XMP_CLAIMS: Final = (
    "{http://www.aiim.org/pdfa/ns/id/}part",
    "{http://www.aiim.org/pdfa/ns/id/}conformance",
    "{http://www.aiim.org/pdfua/ns/id/}part",
)
_FLATE_DECODE: Final = "/FlateDecode"
# Part and level of PDF/A; PDF/A-4 has no level.
_PDFA_PROFILE: Final = re.compile(r"[1-9][a-z]?")
# pikepdf meets an object of another type than the format demands.
WRONG_TYPE: Final = (AttributeError, LookupError, TypeError, ValueError)


class UnreadableStream(Exception):  # noqa: N818 -- names the condition
    """A stream that is damaged, too long, or packed in another way; the message has the reason."""


def is_pdf(content: bytes) -> bool:
    """Tell whether the header of a PDF stands in the first 1024 bytes, as readers demand."""
    return b"%PDF-" in content[:_HEADER_BYTES]


def claimed_profiles(pdf: "pikepdf.Pdf") -> tuple[str | None, bool]:
    """Return part and level of PDF/A that the metadata claim, or None, and the claim of PDF/UA."""
    metadata = read_properties(pdf)
    part, level, pdfua = (metadata.get(name, "").strip() for name in _XMP_CLAIMS)
    profile = f"{part}{level}".lower()
    return (profile if _PDFA_PROFILE.fullmatch(profile) else None), pdfua == "1"


def read_properties(pdf: "pikepdf.Pdf") -> Mapping[str, str]:
    """Return the simple XMP properties by `{namespace}name`; damaged metadata have none."""
    import pikepdf  # noqa: PLC0415 -- slow to import, and XML alone needs none

    try:
        # open_metadata unpacks the whole stream: check its size first.
        bounded_content(pdf.Root.Metadata, _MAX_METADATA_BYTES)
        properties = dict(pdf.open_metadata())
    except (pikepdf.PdfError, SyntaxError, UnreadableStream, *WRONG_TYPE):
        return {}
    return {key: value for key, value in properties.items() if isinstance(value, str)}


def bounded_content(stream: "pikepdf.Object", max_bytes: int) -> bytes:
    """Return the content of a stream, unpacked up to a limit: it may be a zip bomb.

    Raises UnreadableStream.
    """
    raw, packed = stream.read_raw_bytes(), _is_flate_encoded(stream)
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(raw, max_bytes + 1) if packed else raw
    except zlib.error as damage:
        raise UnreadableStream("the file inside the PDF is damaged") from damage
    if len(content) > max_bytes:
        raise UnreadableStream(f"the file inside the PDF has more than {max_bytes} bytes")
    return content


def _is_flate_encoded(stream: "pikepdf.Object") -> bool:
    entry = stream.get("/Filter", ())
    filters = [str(entry)] if str(entry).startswith("/") else [str(each) for each in entry]
    if filters not in ([], [_FLATE_DECODE]) or "/DecodeParms" in stream:
        raise UnreadableStream("the file inside the PDF is packed otherwise than by FlateDecode")
    return bool(filters)
