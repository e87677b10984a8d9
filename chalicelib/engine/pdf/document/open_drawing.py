"""Opening of a source for drawing and for its text, by pdfium."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import NamedTuple

import pikepdf
import pypdfium2

from chalicelib.engine.pdf.document.open_pdf import invalid_source, open_pdf, refuse_damage
from chalicelib.engine.pdf.document.save import save
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf.warn import Warn


class DrawableSource(NamedTuple):
    """Document that pdfium draws; `user_units` are points for each unit, page by page."""

    document: pypdfium2.PdfDocument
    user_units: list[float]


@contextmanager
def open_drawing(
    source: UnopenedPdf,
    max_pages: int,
    warn: Warn,
    complete: Callable[[pikepdf.Pdf], bool] | None = None,
) -> Iterator[DrawableSource]:
    """Open a source and yield it; raises what `open_pdf` raises.

    `complete` may change the document before, and tells whether it did.
    """
    with open_pdf(source, max_pages, warn) as document:
        user_units = [_user_unit(page) for page in document.pages]
        is_changed = complete is not None and complete(document)
        drawing = None
        if not is_changed:
            drawing = _open(source.content, source.password, len(user_units))
        if drawing is None:
            # pdfium mends less than qpdf does.
            drawing = _open(save(document), None, len(user_units))
    if drawing is None:
        raise invalid_source(source, "the file is damaged and cannot be drawn")
    try:
        with refuse_damage(source):
            yield DrawableSource(drawing, user_units)
    finally:
        drawing.close()


def _open(content: bytes, password: str | None, page_count: int) -> pypdfium2.PdfDocument | None:
    try:
        document = pypdfium2.PdfDocument(content, password=password)
    except pypdfium2.PdfiumError:
        return None
    # Forms first: pages that are open already would be drawn without their fields.
    document.init_forms()
    if len(document) == page_count:
        return document
    document.close()
    return None


def _user_unit(page: pikepdf.Page) -> float:
    unit = page.obj.get("/UserUnit", 1)
    return max(float(unit), 0) if isinstance(unit, int | Decimal) else 1.0
