"""Overlay of running elements: sheets that the document has printed apart, laid over its pages."""

import io
from typing import TYPE_CHECKING, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.pdf.document.metadata import document_date
from chalicelib.engine.pdf.drawings.page_drawings import PageDrawings
from chalicelib.engine.pdf.drawings.page_overlay import overlay_page
from chalicelib.engine.pdf.text.chromium_pdf import make_deterministic

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


def _add_page_overlay(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    overlay = finishing.recorder.page_overlay
    assert overlay is not None
    content = make_deterministic(overlay.content, document_date(finishing.output.pdf.metadata))
    drawings = PageDrawings(document)
    with pikepdf.open(io.BytesIO(content)) as printed:
        if len(printed.pages) != len({*overlay.sheets} - {None}):
            message = "a running element has styles that change the pages which it is printed on"
            raise RenderFailure("render_failed", message)
        forms = [document.copy_foreign(sheet.as_form_xobject()) for sheet in printed.pages]
        for page, sheet in zip(document.pages, overlay.sheets, strict=False):
            if sheet is not None:
                overlay_page(document, drawings, page, printed, printed.pages[sheet], forms[sheet])


PAGE_OVERLAY: Final = PdfFinisher(
    lambda finishing: finishing.recorder.page_overlay is not None, _add_page_overlay
)
