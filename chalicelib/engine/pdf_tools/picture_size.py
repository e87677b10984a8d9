"""Size of the picture of a page at a resolution; pictures that are too large are refused."""

from collections.abc import Sequence
from typing import Final

from chalicelib.contract.options.pdf_tools import PageImageFormat
from chalicelib.engine.pdf.document.open_drawing import DrawableSource
from chalicelib.engine.pdf.document.page_picture import PictureSize
from chalicelib.engine.pdf_tools.tool import refused_option

MAX_SIDE: Final = 16_384
# The encoder of WebP holds copies of the whole picture, and its sides have 14 bits.
_MAX_WEBP_SIDE: Final = 16_383
MAX_PIXELS: Final = 150_000_000
_MAX_WEBP_PIXELS: Final = 80_000_000
_POINTS_PER_INCH: Final = 72


def picture_size(
    drawing: DrawableSource, index: int, dpi: int, format_: PageImageFormat
) -> PictureSize:
    """Return the size of the picture of a page; raises `validation_error` at `/dpi`."""
    scale = dpi / _POINTS_PER_INCH * drawing.user_units[index]
    size = PictureSize(*(max(round(side * scale), 1) for side in _page_size(drawing, index)))
    is_webp = format_ == "webp"
    max_side, max_pixels = (_MAX_WEBP_SIDE, _MAX_WEBP_PIXELS) if is_webp else (MAX_SIDE, MAX_PIXELS)
    begin = f"page {index + 1} would have {size.width} x {size.height} pixels"
    if max(size) > max_side:
        raise refused_option("/dpi", f"{begin}; at most {max_side} a side", "out_of_range")
    if size.width * size.height > max_pixels:
        message = f"{begin}; a {format_} has at most {max_pixels} in all"
        raise refused_option("/dpi", message, "out_of_range")
    return size


def _page_size(drawing: DrawableSource, index: int) -> Sequence[float]:
    size: Sequence[float] = drawing.document.get_page_size(index)
    return size
