"""What a PDF says of itself: PDF/A and PDF/UA in its metadata, an invoice among its files."""

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from chalicelib.engine.conformance.documents import NotAnInvoice

if TYPE_CHECKING:
    import pikepdf

INVOICE_NAMES: Final = ("factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml")
MAX_INVOICE_BYTES: Final = 20_000_000
_MAX_METADATA_BYTES: Final = 2_000_000
_HEAD_BYTES: Final = 1024
_CLAIMS: Final = ("pdfaid:part", "pdfaid:conformance", "pdfuaid:part")
_FLATE: Final = "/FlateDecode"
# Part and level; parts above 3 may have no level.
_PDFA: Final = re.compile(r"[1-9][a-z]?")
# Where a file may have its name and its content, first the one that readers prefer.
_FILE_NAMES: Final = ("/UF", "/F", "/Unix", "/DOS", "/Mac")


class NotAPdf(Exception):  # noqa: N818 -- says what it is not
    """A file that cannot be read as a PDF; the message says why."""


class LockedPdf(NotAPdf):
    """A PDF that only a password opens."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What is to be held against the validators.

    `pdfa` is a profile such as `3b`, or one that there are no rules for, such as `1b`.
    """

    pdfa: str | None
    pdfua: bool
    invoice: bytes | None


def is_pdf(content: bytes) -> bool:
    """Tell whether a file begins as PDFs do."""
    return b"%PDF-" in content[:_HEAD_BYTES]


def claims_of(content: bytes) -> Claims:
    """Read them; raises NotAPdf, and NotAnInvoice where it is in doubt which invoice it carries."""
    import pikepdf  # noqa: PLC0415 -- who judges invoices alone does not wait for it

    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            return Claims(*_metadata(pdf), _invoice(pdf))
    except pikepdf.PasswordError as locked:
        raise LockedPdf("the PDF is protected by a password; send it without one") from locked
    # The rest: what stands at a place where the format wants something else.
    except (pikepdf.PdfError, AttributeError, LookupError, TypeError, ValueError) as broken:
        raise NotAPdf("the file cannot be read as a PDF") from broken


def _metadata(pdf: "pikepdf.Pdf") -> tuple[str | None, bool]:
    try:
        # Before anybody unpacks them whole.
        _bounded(pdf.Root.Metadata, _MAX_METADATA_BYTES)
        told = pdf.open_metadata()
        part, level, pdfua = (told.get(name, "").strip() for name in _CLAIMS)
    except (AttributeError, LookupError, SyntaxError, TypeError, ValueError, NotAnInvoice):
        # Damaged metadata claim nothing.
        return None, False
    profile = f"{part}{level}".lower()
    return (profile if _PDFA.fullmatch(profile) else None), pdfua == "1"


def _invoice(pdf: "pikepdf.Pdf") -> bytes | None:
    """Return the only file that is named as an invoice; of several no reader knows which counts."""
    found: dict[tuple[int, int], tuple[str, pikepdf.Object]] = {}
    for key, file in _files(pdf):
        name = next((str(file[each]) for each in _FILE_NAMES if each in file), key)
        if {key.lower(), name.lower()} & set(INVOICE_NAMES):
            stream = next(file.EF[each] for each in _FILE_NAMES if each in file.EF)
            found[stream.objgen] = name, stream
    if len(found) > 1:
        names = ", ".join([name for name, _ in found.values()][:3])
        raise NotAnInvoice(f"the PDF carries {len(found)} invoices ({names}); leave one")
    return next((_bounded(stream, MAX_INVOICE_BYTES) for _, stream in found.values()), None)


def _files(pdf: "pikepdf.Pdf") -> Iterator[tuple[str, "pikepdf.Object"]]:
    """Return the files of the document by their keys: those it lists, and those bound to it."""
    import pikepdf  # noqa: PLC0415 -- as above

    for key, attached in pdf.attachments.items():
        yield key, attached.obj
    bound: Any = pdf.Root.get("/AF", [])
    for file in [bound] if isinstance(bound, pikepdf.Dictionary) else bound:
        if isinstance(file, pikepdf.Dictionary):
            yield "", file


def _bounded(stream: "pikepdf.Object", most: int) -> bytes:
    """Return the content of a stream, of which a few bytes may stand for gigabytes."""
    raw, packed = stream.read_raw_bytes(), _is_packed(stream)
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(raw, most + 1) if packed else raw
    except zlib.error as damage:
        raise NotAnInvoice("the file inside the PDF is damaged") from damage
    if len(content) > most:
        raise NotAnInvoice(f"the file inside the PDF has more than {most} bytes")
    return content


def _is_packed(stream: "pikepdf.Object") -> bool:
    said: Any = stream.get("/Filter", [])
    filters = [str(said)] if str(said).startswith("/") else [str(each) for each in said]
    if filters not in ([], [_FLATE]) or "/DecodeParms" in stream:
        raise NotAnInvoice("the file inside the PDF is packed otherwise than by FlateDecode")
    return bool(filters)
