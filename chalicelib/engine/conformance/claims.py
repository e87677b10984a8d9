"""What a PDF says of itself: PDF/A and PDF/UA in its metadata, an invoice among its files."""

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.engine.conformance.checks import PDFA_PROFILES

if TYPE_CHECKING:
    import pikepdf

INVOICE_NAMES: Final = ("factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml")


class NotAPdf(Exception):  # noqa: N818 -- says what it is not
    """A file that cannot be read as a PDF; the message says why."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What is to be held against the validators; `pdfa` is a profile such as `3b`."""

    pdfa: str | None
    pdfua: bool
    invoice: bytes | None


def claims_of(content: bytes) -> Claims:
    """Read them; raises NotAPdf."""
    import pikepdf  # noqa: PLC0415 -- who judges invoices alone does not wait for it

    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            return Claims(*_metadata(pdf), _invoice(pdf))
    except pikepdf.PasswordError as locked:
        raise NotAPdf("the PDF is protected by a password") from locked
    except pikepdf.PdfError as broken:
        raise NotAPdf("the file cannot be read as a PDF") from broken


def _metadata(pdf: "pikepdf.Pdf") -> tuple[str | None, bool]:
    try:
        told = pdf.open_metadata()
        part, level = told.get("pdfaid:part", ""), told.get("pdfaid:conformance", "")
        pdfua = told.get("pdfuaid:part", "") == "1"
    except (ValueError, KeyError, SyntaxError):
        # Damaged metadata claim nothing.
        return None, False
    profile = f"{part}{level}".lower()
    return (profile if profile in PDFA_PROFILES else None), pdfua


def _invoice(pdf: "pikepdf.Pdf") -> bytes | None:
    for name, attached in pdf.attachments.items():
        if name.lower() in INVOICE_NAMES:
            return attached.get_file().read_bytes()
    return None
