"""Parts that the browser prints on a page of their own: data, so that any process may ask."""

import html
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import ContentSource, Watermark
from chalicelib.engine.browser.output.header_footer import HeaderFooterBatch
from chalicelib.engine.pdf.drawings.mark_drawings import FONT_PX, UNREADABLE_TITLE

if TYPE_CHECKING:
    from chalicelib.engine.browser.page.page import BrowserPage

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


class HeaderFooterPrint(msgspec.Struct, frozen=True, tag="header_footer"):
    """Headers and footers: a PDF for each batch."""

    batches: tuple[HeaderFooterBatch, ...]

    def print(
        self, page: "BrowserPage", output: OutputOptions, resources: Mapping[ContentSource, bytes]
    ) -> list[bytes]:
        """Return the PDFs."""
        del resources
        return [page.header_footer_pdf(batch, output) for batch in self.batches]


class WatermarkPrint(msgspec.Struct, frozen=True, tag="watermark"):
    """The watermark: one PDF of one page."""

    def print(
        self, page: "BrowserPage", output: OutputOptions, resources: Mapping[ContentSource, bytes]
    ) -> list[bytes]:
        """Return the PDF."""
        watermark = output.pdf.watermark
        assert watermark is not None
        language = output.locale or output.pdf.metadata.language or ""
        return [print_watermark_page(page, watermark, resources, language)]


type SeparatePrint = HeaderFooterPrint | WatermarkPrint


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
