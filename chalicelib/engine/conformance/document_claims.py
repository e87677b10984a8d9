"""Claims of a document: PDF/A and PDF/UA in its metadata, the invoice inside it, its profile."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.engine.conformance.hybrid_metadata import Contradiction, contradictions_of
from chalicelib.engine.conformance.invoice_head import NotAnInvoiceError
from chalicelib.engine.pdf.document.claims import (
    WRONG_TYPE,
    UnreadableStream,
    bounded_content,
    claimed_profiles,
    read_properties,
)

if TYPE_CHECKING:
    import pikepdf

INVOICE_FILENAMES: Final = ("factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml")
MAX_INVOICE_BYTES: Final = 20_000_000
# Keys of a file specification for its name and its content (ISO 32000-1 7.11.3), preferred first.
_FILENAME_KEYS: Final = ("/UF", "/F", "/Unix", "/DOS", "/Mac")
_MAX_NAME_CHARACTERS: Final = 100
_MAX_REASON_CHARACTERS: Final = 200
_STREAM_ADDRESS: Final = re.compile(r"^stream <[^>]*>:? ?")


class NotAPdfError(Exception):
    """A file that cannot be read as a PDF; the message has the reason."""


class PasswordProtectedPdfError(NotAPdfError):
    """A PDF that opens only with a password."""


@dataclass(frozen=True, slots=True)
class PdfClaims:
    """The standards that a PDF claims, and the XML of the invoice that it carries.

    `pdfa` is a part and level such as `3b`, possibly one without rules here, such as `1b`.
    `problem` tells why there is no usable invoice in a PDF that names one.
    """

    pdfa: str | None
    pdfua: bool
    invoice: bytes | None
    problem: str | None = None
    contradictions: tuple[Contradiction, ...] = ()
    """Metadata that contradict the XML of the invoice."""
    is_damaged: bool = False
    """The PDF was readable after a repair only: something may be lost."""

    @property
    def names_an_invoice(self) -> bool:
        """Tell whether there is an invoice, even an unusable one."""
        return self.invoice is not None or self.problem is not None


def read_pdf_claims(content: bytes) -> PdfClaims:
    """Read the claims of a PDF; raise NotAPdfError."""
    import pikepdf  # noqa: PLC0415 -- slow to import, and XML alone needs none

    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            return _claims(pdf)
    except pikepdf.PasswordError as locked:
        raise PasswordProtectedPdfError(
            "the PDF is protected by a password; send it without one"
        ) from locked
    except pikepdf.PdfError as broken:
        # qpdf names the stream by its address in memory.
        reason = _STREAM_ADDRESS.sub("", str(broken))[:_MAX_REASON_CHARACTERS]
        raise NotAPdfError(f"the file cannot be read as a PDF: {reason}") from broken
    except WRONG_TYPE as broken:
        raise NotAPdfError("the file cannot be read as a PDF") from broken


def _claims(pdf: "pikepdf.Pdf") -> PdfClaims:
    pdfa, pdfua = claimed_profiles(pdf)
    invoice, problem = None, None
    try:
        invoice = embedded_invoice(pdf)
    except NotAnInvoiceError as reason:
        problem = str(reason)
    return PdfClaims(
        pdfa=pdfa,
        pdfua=pdfua,
        invoice=invoice.content if invoice else None,
        problem=problem,
        contradictions=invoice.contradictions if invoice else (),
        is_damaged=bool(pdf.get_warnings()),
    )


class EmbeddedInvoice(NamedTuple):
    """The XML of the invoice in a PDF, and metadata that contradict it."""

    content: bytes
    contradictions: tuple[Contradiction, ...]


def embedded_invoice(pdf: "pikepdf.Pdf") -> EmbeddedInvoice | None:
    """Return the embedded file named as an invoice; raise NotAnInvoiceError if it is not usable.

    That is one of several, a damaged one, or one in damaged lists of files.
    """
    import pikepdf  # noqa: PLC0415 -- as above

    try:
        files = [(_file_name(key, file), file) for key, file in _embedded_files(pdf)]
    except (pikepdf.PdfError, RuntimeError, *WRONG_TYPE) as broken:
        raise NotAnInvoiceError("the list of the files inside the PDF is damaged") from broken
    invoices: dict[tuple[int, int], tuple[str, pikepdf.Stream]] = {}
    for name, file in files:
        if name is not None:
            stream = _file_stream(name, file)
            invoices[stream.objgen] = name, stream
    if len(invoices) > 1:
        names = ", ".join([name for name, _ in invoices.values()][:3])
        raise NotAnInvoiceError(f"the PDF carries {len(invoices)} invoices ({names}); leave one")
    for name, stream in invoices.values():
        content = _invoice_content(name, stream)
        return EmbeddedInvoice(content, contradictions_of(read_properties(pdf), name, content))
    return None


def _file_name(key: str, file: "pikepdf.Object") -> str | None:
    """Return the name of a file that is named as an invoice, by its key or itself; else None."""
    name = next((str(file[each]) for each in _FILENAME_KEYS if each in file), key)
    return name if {key.lower(), name.lower()} & set(INVOICE_FILENAMES) else None


def _file_stream(name: str, file: "pikepdf.Object") -> "pikepdf.Stream":
    import pikepdf  # noqa: PLC0415 -- as above

    content = file.get("/EF")
    if isinstance(content, pikepdf.Dictionary):
        for key in _FILENAME_KEYS:
            stream = content.get(key)
            if isinstance(stream, pikepdf.Stream):
                return stream
    raise NotAnInvoiceError(f"the PDF names {_short_name(name)}, but its content is missing")


def _invoice_content(name: str, stream: "pikepdf.Stream") -> bytes:
    import pikepdf  # noqa: PLC0415 -- as above

    try:
        return bounded_content(stream, MAX_INVOICE_BYTES)
    except UnreadableStream as reason:
        raise NotAnInvoiceError(f"{_short_name(name)}: {reason}") from reason
    except (pikepdf.PdfError, RuntimeError, *WRONG_TYPE) as broken:
        raise NotAnInvoiceError(f"{_short_name(name)} inside the PDF is damaged") from broken


def _short_name(name: str) -> str:
    """Return a name from a document, cut to a length that a message takes."""
    return name[:_MAX_NAME_CHARACTERS]


def _embedded_files(pdf: "pikepdf.Pdf") -> Iterator[tuple[str, "pikepdf.Object"]]:
    """Yield the embedded files (name tree) and the associated files (/AF), each with its key."""
    import pikepdf  # noqa: PLC0415 -- as above

    for key, attached in pdf.attachments.items():
        yield key, attached.obj
    associated = pdf.Root.get("/AF", ())
    for file in [associated] if isinstance(associated, pikepdf.Dictionary) else associated:
        if isinstance(file, pikepdf.Dictionary):
            yield "", file
