"""The caller's watermark: one drawing on every page, printed by the browser (decision 16)."""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.finishing.separate_prints import WatermarkPrint
from chalicelib.engine.pdf.drawings.covered_watermark import warn_of_covered_watermark
from chalicelib.engine.pdf.drawings.mark_drawings import (
    MarkDrawings,
    printed_mark,
)

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


def _add_watermark(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    watermark = finishing.output.pdf.watermark
    assert watermark is not None
    if watermark.image is not None and watermark.font_size is not None:
        message = "output.pdf.watermark.font_size is of no use to a picture and was ignored"
        finishing.recorder.warn("feature_unavailable", message, "output.pdf.watermark.font_size")
    (watermark_page,) = finishing.print_separately(WatermarkPrint())
    form, box = printed_mark(document, watermark_page, "/output/pdf/watermark/image")
    if watermark.layer == "under":
        warn_of_covered_watermark(document, watermark, box, finishing.recorder.warn)
    drawings = MarkDrawings(document, watermark, form, box)
    for page in document.pages:
        drawings.draw(page)


WATERMARK: Final = PdfFinisher(
    lambda finishing: finishing.output.pdf.watermark is not None, _add_watermark
)
