"""The caller's watermark: one drawing on every page, printed by the browser (decision 16)."""

import html
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource, Watermark
from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.pdf.drawings.covered_watermark import warn_of_covered_watermark
from chalicelib.engine.pdf.drawings.mark_drawings import (
    FONT_PX,
    UNREADABLE_TITLE,
    MarkDrawings,
    printed_mark,
)

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.browser.page.page import BrowserPage
    from chalicelib.engine.finishing.finisher import FinishingContext


_MAX_PX: Final = 18_000
_PRINT_OPTIONS: Final = OutputOptions.from_json(
    {"pdf": {"tagged": False, "margin": dict.fromkeys(("top", "right", "bottom", "left"), "0")}}
)
_PAGE_HTML: Final = """<!doctype html><html lang="%(language)s"><meta charset=utf-8><style>
html, body { margin: 0 }
#mark { position: absolute; display: block; max-width: %(most)spx; max-height: %(most)spx }
div#mark { padding: .15em; font: bold %(font)spx/1.4 sans-serif; white-space: pre;
  text-align: center; color: %(color)s }
</style>%(mark)s<script>
addEventListener('load', () => {
  const mark = document.getElementById('mark');
  if (mark.naturalWidth === 0) document.title = '%(unreadable)s';
  const {width, height} = mark.getBoundingClientRect();
  const size = [width, height].map((side) => Math.max(Math.ceil(side), 1) + 'px').join(' ');
  document.head.append(Object.assign(document.createElement('style'),
    {textContent: '@page { margin: 0; size: ' + size + ' }'}));
});
</script>"""
_SVG_BEGIN: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def print_watermark_page(
    page: "BrowserPage",
    watermark: Watermark,
    resources: Mapping[ContentSource, bytes],
    language: str,
) -> bytes:
    """Return a PDF of one page that contains only the watermark."""
    mark = (
        _text_html(watermark)
        if watermark.image is None
        else _image_html(resources[watermark.image])
    )
    values = {
        "color": watermark.color,
        "most": _MAX_PX,
        "font": FONT_PX,
        "unreadable": UNREADABLE_TITLE,
    }
    page.load(
        _PAGE_HTML % {**values, "mark": mark, "language": html.escape(language)}, _PRINT_OPTIONS
    )
    return page.pdf(_PRINT_OPTIONS.pdf)


def _text_html(watermark: Watermark) -> str:
    return f"<div id=mark dir=auto>{html.escape(watermark.text or '')}</div>"


def _image_html(content: bytes) -> str:
    # Browsers sniff the type of every picture but SVG, which needs its own media type.
    kind = "svg+xml" if _SVG_BEGIN.match(content) else "png"
    return f'<img id=mark src="data:image/{kind};base64,{b64encode(content).decode()}">'


def _add_watermark(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    watermark = finishing.output.pdf.watermark
    assert watermark is not None
    if watermark.image is not None and watermark.font_size is not None:
        message = "output.pdf.watermark.font_size is of no use to a picture and was ignored"
        finishing.recorder.warn("feature_unavailable", message, "output.pdf.watermark.font_size")
    language = finishing.output.locale or finishing.output.pdf.metadata.language or ""
    image = {watermark.image: finishing.resources[watermark.image]} if watermark.image else {}
    # A module-level function: finish_worker.py pickles it by name.
    watermark_page = finishing.run_on_fresh_page(
        partial(print_watermark_page, watermark=watermark, resources=image, language=language)
    )
    form, box = printed_mark(document, watermark_page, "/output/pdf/watermark/image")
    if watermark.layer == "under":
        warn_of_covered_watermark(document, watermark, box, finishing.recorder.warn)
    drawings = MarkDrawings(document, watermark, form, box)
    for page in document.pages:
        drawings.draw(page)


WATERMARK: Final = PdfFinisher(
    lambda finishing: finishing.output.pdf.watermark is not None, _add_watermark
)
