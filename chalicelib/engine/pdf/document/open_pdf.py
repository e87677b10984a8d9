"""Opening of sources: what is no PDF, locked, damaged or too long is refused here."""

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import pikepdf
from pikepdf.settings import qpdf_limit_errors, set_qpdf_limits

from chalicelib.core.errors import RenderFailure
from chalicelib.core.passwords import spellings_of_password
from chalicelib.engine.pdf.document.claims import is_pdf
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf.warn import Warn

# Codec that pikepdf adds.
_OLDER_ALPHABET: Final = "pdfdoc"
REPAIR: Final = "repair"
"""Detail of the warning of a document that was mended."""
# Of one stream that qpdf decodes: objects and cross references, in few tools pictures as well.
MAX_DECODED_BYTES: Final = 256_000_000
# qpdf removes what is no page from a page tree entry by entry.
_MAX_CONTAINER_ITEMS: Final = 500_000
_MAX_REPAIRS: Final = 10_000
# pikepdf raises these where an object is of another type than the format demands.
DAMAGE: Final = (
    pikepdf.PdfError,
    AttributeError,
    LookupError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)


@contextmanager
def open_pdf(source: UnopenedPdf, max_pages: int, warn: Warn) -> Iterator[pikepdf.Pdf]:
    """Open a source and yield it; faults of its objects within the context are refusals as well.

    Raises RenderFailure `invalid_pdf_source`, `pdf_password_required` or `page_limit_exceeded`.
    """
    with refuse_damage(source), _open(source) as document:
        if any("file is damaged" in str(repair) for repair in document.get_warnings()):
            warn(
                "feature_unavailable",
                f"{source.pointer}: the PDF was damaged and has been repaired as far as possible.",
                REPAIR,
            )
        page_count = len(document.pages)
        if page_count == 0:
            raise invalid_source(source, "the PDF has no pages")
        if page_count > max_pages:
            raise RenderFailure(
                "page_limit_exceeded",
                f"{source.pointer}: the PDF has {page_count} pages; {max_pages} are "
                "allowed by the plan.",
            )
        yield document


def invalid_source(source: UnopenedPdf, reason: str) -> RenderFailure:
    """Return `invalid_pdf_source` for a source."""
    return RenderFailure("invalid_pdf_source", f"{source.pointer}: {reason}.")


def _open(source: UnopenedPdf) -> pikepdf.Pdf:
    if not is_pdf(source.content):
        raise invalid_source(source, "the file is no PDF: it does not begin with %PDF-")
    # They hold for the whole process, so they are set before each source.
    set_qpdf_limits(
        flate_max_memory=MAX_DECODED_BYTES,
        run_length_max_memory=MAX_DECODED_BYTES,
        png_max_memory=MAX_DECODED_BYTES,
        tiff_max_memory=MAX_DECODED_BYTES,
        parser_max_container_size=_MAX_CONTAINER_ITEMS,
        doc_max_warnings=_MAX_REPAIRS,
    )
    for spelling in spellings_of_password(source.password or "", _OLDER_ALPHABET):
        with suppress(pikepdf.PasswordError):
            return pikepdf.open(io.BytesIO(source.content), password=spelling)
    problem = "the PDF opens with a password only: send it as password"
    if source.password:
        problem = "the password is wrong; leave it out if the PDF opens without one"
    raise RenderFailure("pdf_password_required", f"{source.pointer}: {problem}.")


@contextmanager
def refuse_damage(source: UnopenedPdf) -> Iterator[None]:
    """Refuse a source for faults of its objects that are met within the context."""
    exceeded_before = qpdf_limit_errors()
    try:
        yield
    except DAMAGE as broken:
        reason = "the file is damaged and cannot be read"
        if qpdf_limit_errors() > exceeded_before:
            reason = "a part of the file is nested too deeply or too long"
        raise invalid_source(source, reason) from broken
    except (MemoryError, RecursionError) as bomb:
        raise invalid_source(source, "the file takes too much memory to be read") from bomb
