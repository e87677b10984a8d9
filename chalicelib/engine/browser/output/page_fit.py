"""Page boxes in whole CSS pixels, in which the browser lays out and clips at the same edge.

The browser lays a page's content out in its width, rounded up to pixels, and clips it at the width
itself, up to a pixel before: a box of full width loses its right border. Sizes and margins of the
print call become whole points, those of style sheets keep their fractions of pixels. So pages have
a style sheet with whole pixels. It comes after those of the document, so it has the sizes and
margins that they name.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from math import ceil, floor, isfinite
from typing import Final, NamedTuple

from chalicelib.contract.options.pdf import MarginInches, PdfOptions
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.tab.tab import Tab

_PIXELS_PER_INCH: Final = 96
_POINTS_PER_INCH: Final = 72
_PIXELS_PER_POINT: Final = _PIXELS_PER_INCH / _POINTS_PER_INCH
# The browser counts in 64ths of a pixel. What is a little less than whole pixels is rounded up to
# them; what is a little more would be rounded up to the next.
_LESS_PIXELS: Final = 0.02
# Lengths are read as inches with six decimals.
_ROUNDING_PIXELS: Final = 0.001
# As that of a viewport in the contract.
_MAX_WINDOW_PIXELS: Final = 10_000

# It survives the replacement of the document's content.
ADOPT_PAGE: Final = PageFunction[None]("""(css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const sheets = Reflect.get(Document.prototype, 'adoptedStyleSheets', document);
  Reflect.set(Document.prototype, 'adoptedStyleSheets', [...sheets, sheet], document);
}""")


class _Side(NamedTuple):
    """Margins of a page in CSS pixels, and the pixels of its layout between them."""

    before: float
    content: float
    after: float


def default_page_css(options: PdfOptions) -> str:
    """Return the style sheet of pages for documents that say nothing about them; "" for none."""
    return _page_css(options, PageStyle()) if options.has_room else ""


@contextmanager
def fitted_pages(tab: Tab, options: PdfOptions, style: PageStyle) -> Iterator[None]:
    """Bring the pages of a document to whole pixels meanwhile; `style` is its page style.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    css = _fitted_page_css(options, style)
    with adopted_style(tab, css) if css else nullcontext():
        yield


def _fitted_page_css(options: PdfOptions, style: PageStyle) -> str:
    if style.has_other_margins or style.auto_height_width is not None:
        return ""
    if style.size is None and all(side is None for side in style.margin):
        css = default_page_css(options)
    else:
        lengths = (*style.page_margin(options), *_page_size(options, style))
        is_whole = options.scale == 1 and all(map(_is_whole, lengths))
        css = "" if is_whole else _page_css(options, style)
    # A later sheet wins over all rules of an earlier one, also over those for some pages.
    return css and f"{css}\n{style.selected_rules}"


def fitted_margins_css(options: PdfOptions, margin: MarginInches, width: float) -> str:
    """Return declarations of left and right margins for pages whose size is that of the call."""
    side = _fitted_side(_called_pixels(width), width, (margin.left, margin.right), options.scale)
    return f"margin-left: {side.before}px; margin-right: {side.after:.4f}px"


def content_pixels(options: PdfOptions, style: PageStyle) -> tuple[int, int]:
    """Return width and height of the pages' content in CSS pixels: those of a window."""
    across, down = _sides(options, style)
    return window_pixels(across.content), window_pixels(down.content)


def window_pixels(pixels: float) -> int:
    """Return a side of a window, from 1 to 10 000 pixels; a document's lengths may be infinite."""
    # Infinity less infinity is no number, and becomes the first of two.
    return round(max(1, min(_MAX_WINDOW_PIXELS, pixels)))


def _page_css(options: PdfOptions, style: PageStyle) -> str:
    across, down = _sides(options, style)
    if not all(map(isfinite, (*across, *down))) or min(across.content, down.content) < 1:
        return ""
    if not _has_css_size(options):
        margin = style.page_margin(options)
        return f"@page {{ {fitted_margins_css(options, margin, options.turned_size[0])} }}"
    size = " ".join(f"{side}px" for side in _whole_sides(options, style))
    margins = f"{down.before}px {across.after:.4f}px {down.after:.4f}px {across.before}px"
    return f"@page {{ size: {size}; margin: {margins} }}"


def _sides(options: PdfOptions, style: PageStyle) -> tuple[_Side, _Side]:
    """Return both sides of the pages, the width first."""
    margin, size = style.page_margin(options), _page_size(options, style)
    if _has_css_size(options):
        pages: Sequence[float] = _whole_sides(options, style)
    else:
        pages = [_called_pixels(side) for side in size]
    margins = (margin.left, margin.right), (margin.top, margin.bottom)
    across, down = map(_fitted_side, pages, size, margins, (options.scale, options.scale))
    return across, down


def _fitted_side(page: float, inches: float, margins: tuple[float, float], scale: float) -> _Side:
    """Return a side with as many whole pixels of the layout as the lengths in inches have.

    `page` are the pixels of the page.
    """
    before, after = (side * _PIXELS_PER_INCH for side in margins)
    wanted, before = (inches * _PIXELS_PER_INCH - before - after) / scale, _nearest(before)
    # Without a margin the content goes to the edge.
    if after < 1 or wanted * scale > page - before:
        content = (page - before) / scale
        content = floor(content) if isfinite(content) else content
    else:
        content = _nearest(wanted)
    is_exact = float(page).is_integer() and scale == 1
    less = 0 if is_exact else _LESS_PIXELS
    return _Side(before, content, page - before - (content - less) * scale)


def _has_css_size(options: PdfOptions) -> bool:
    return options.prefer_css_page_size and not options.is_continuous


def _page_size(options: PdfOptions, style: PageStyle) -> tuple[float, float]:
    """Return the size in inches."""
    if not options.prefer_css_page_size:
        return options.turned_size
    width, height = style.size or options.turned_size
    return style.auto_height_width or width, height


def _whole_sides(options: PdfOptions, style: PageStyle) -> list[float]:
    """Return the sides of a page of the same media box, which has whole points.

    The browser rounds those of a style sheet, and takes the next higher ones of a call.
    """
    return [
        _whole_pixels(side, is_own=style.size is not None) for side in _page_size(options, style)
    ]


def _whole_pixels(inches: float, *, is_own: bool) -> float:
    if not isfinite(inches):
        return inches
    points, pixels = inches * _POINTS_PER_INCH, round(inches * _PIXELS_PER_INCH)
    points = floor(points + 0.5) if is_own else ceil(points)
    if floor(pixels / _PIXELS_PER_POINT + 0.5) == points:
        return pixels
    return floor(points * _PIXELS_PER_POINT)


def _called_pixels(inches: float) -> float:
    """Return the side of a page whose size is that of the call: whole points."""
    return ceil(inches * _POINTS_PER_INCH) * _PIXELS_PER_POINT if isfinite(inches) else inches


def _is_whole(inches: float) -> bool:
    pixels = inches * _PIXELS_PER_INCH
    return isfinite(pixels) and abs(pixels - round(pixels)) < _ROUNDING_PIXELS


def _nearest(pixels: float) -> float:
    return round(pixels) if isfinite(pixels) else pixels
