"""Continuous page: a document on one page that is as long as its content (decision 52)."""

from collections.abc import Callable
from math import ceil
from typing import Final

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_fit import fitted_margins_css, window_pixels
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.tab.animations import outcome_in_slices
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.pdf.text.chromium_pdf import page_count
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table

MAX_CONTINUOUS_MM: Final = 5000
_MM_PER_INCH: Final = 25.4
_PIXELS_PER_INCH: Final = 96
# On one page nothing breaks; the size is that of the call. Documents are often made to fill the
# window, and would be higher than each page.
_UNBROKEN: Final = """@page { size: auto !important }
html, body { height: auto !important; min-height: 0 !important }
*, ::before, ::after {
  break-before: auto !important; break-after: auto !important; page: auto !important }"""
# Lower than any content, so that the document is no higher than that.
_LOW_WINDOW: Final = 10
_CONTENT_HEIGHT: Final = PageFunction[float | None]("""async () => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const root = own('scrollingElement') ?? own('documentElement');
  root.getBoundingClientRect();
  await own('fonts').ready;
  return root.scrollHeight;
}""")
# Parts of the content's height that are added when it takes more than a page: printing rounds
# otherwise, and heights in `vh` grow with the page.
_EXTRA_HEIGHTS: Final = (0.0, 0.01, 0.1, 1.0)


def continuous_width(style: PageStyle, options: PdfOptions) -> float | None:
    """Return the width in inches of a continuous page; None where there are pages as usual.

    A size of the document's own wins, as it does over that of other pages.
    """
    if options.prefer_css_page_size and style.auto_height_width is not None:
        return style.auto_height_width
    if options.is_continuous and not (options.prefer_css_page_size and style.size):
        return options.turned_size[0]
    return None


def print_continuous(
    tab: Tab,
    options: PdfOptions,
    style: PageStyle,
    width: float,
    print_once: Callable[[PdfOptions], bytes],
) -> bytes:
    """Return the PDF of one page; `print_once` prints at the size of its options.

    The media type is that of the print already. The window is left changed. Raises RenderFailure
    `page_limit_exceeded`, `render_failed`, `render_timeout`.
    """
    margins = fitted_margins_css(options, style.page_margin(options), width)
    with adopted_style(tab, f"{_UNBROKEN} @page {{ {margins} }}\n{style.selected_rules}"):
        return _print_at_content_height(tab, options, style, width, print_once)


def _print_at_content_height(
    tab: Tab,
    options: PdfOptions,
    style: PageStyle,
    width: float,
    print_once: Callable[[PdfOptions], bytes],
) -> bytes:
    margin = style.page_margin(options)
    across = (width - margin.left - margin.right) * _PIXELS_PER_INCH / options.scale
    height_pixels = _content_height(tab, window_pixels(across))
    for extra in _EXTRA_HEIGHTS:
        content = ceil(height_pixels * (1 + extra) + 1) * options.scale / _PIXELS_PER_INCH
        height = content + margin.top + margin.bottom
        if height * _MM_PER_INCH > MAX_CONTINUOUS_MM:
            message = (
                f"the continuous page would be {height * _MM_PER_INCH:.0f} mm long, it may have "
                f"{MAX_CONTINUOUS_MM} mm: give it a height, so that there are several pages"
            )
            raise RenderFailure("page_limit_exceeded", message)
        sides = {"width": f"{width:.4f}in", "height": f"{height:.4f}in"}
        printed = print_once(
            msgspec.structs.replace(options, landscape=False, prefer_css_page_size=False, **sides)
        )
        if page_count(printed, cross_reference_table(printed)) == 1:
            return printed
    message = (
        "the continuous page has no end: something in it is always higher than the page; give it "
        "no height in vh or %"
    )
    raise RenderFailure("render_failed", message)


def _content_height(tab: Tab, width: int) -> float:
    """Return the height of the document in CSS pixels."""
    tab.send(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=_LOW_WINDOW,
        deviceScaleFactor=1,
        mobile=False,
    )
    answer = outcome_in_slices(tab, tab.call_function(_CONTENT_HEIGHT))
    height = answer["result"].get("value")
    if height is None:
        raise RenderFailure("render_failed", "the height of the document could not be measured")
    return height
