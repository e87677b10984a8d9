"""Tool `to-images`: one picture for each page."""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

from chalicelib.contract.options.pdf_tools import ToImagesOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_drawing import DrawableSource, open_drawing
from chalicelib.engine.pdf.forms.annotation_looks import complete_looks
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.picture_files import jpeg_file, png_file, webp_file
from chalicelib.engine.test_mark import mark_image

MAX_PICTURES: Final = 500
MAX_SIDE: Final = 16_384
# The encoder of WebP holds copies of the whole picture, and its sides have 14 bits.
_MAX_WEBP_SIDE: Final = 16_383
MAX_PIXELS: Final = 150_000_000
_MAX_WEBP_PIXELS: Final = 80_000_000
_POINTS_PER_INCH: Final = 72
# A page is drawn in strips of this size: pdfium's bitmap lies in memory beside the picture.
_STRIP_PIXELS: Final = 24_000_000
_ENCODERS: Final = {"png": png_file, "jpeg": jpeg_file, "webp": webp_file}


class _Size(NamedTuple):
    width: int
    height: int


def run(tool_input: ToolInput[ToImagesOptions]) -> ToolOutput:
    """Draw the chosen pages with their annotations and form fields, on white."""
    options, source = tool_input.options, tool_input.source
    complete = partial(complete_looks, fonts=tool_input.fonts, warn=tool_input.warn)
    with open_drawing(source, tool_input.max_pages, tool_input.warn, complete) as drawing:
        indexes = page_indexes(options.pages, len(drawing.user_units))
        if len(indexes) > MAX_PICTURES:
            message = f"names {len(indexes)} pages; at most {MAX_PICTURES} become pictures"
            raise refused_option("/pages", message, "out_of_range")
        # All sizes first: a page that is too large is refused before time is spent on others.
        sizes = [_picture_size(drawing, index, options) for index in indexes]
        pages = zip(indexes, sizes, strict=True)
        return ToolOutput(
            tuple(
                _picture_file(drawing, index, size, tool_input)._replace(part=part)
                for part, (index, size) in enumerate(pages, 1)
            )
        )


def _picture_size(drawing: DrawableSource, index: int, options: ToImagesOptions) -> _Size:
    scale = options.dpi / _POINTS_PER_INCH * drawing.user_units[index]
    size = _Size(*(max(round(side * scale), 1) for side in _page_size(drawing, index)))
    is_webp = options.format == "webp"
    max_side, max_pixels = (_MAX_WEBP_SIDE, _MAX_WEBP_PIXELS) if is_webp else (MAX_SIDE, MAX_PIXELS)
    begin = f"page {index + 1} would have {size.width} x {size.height} pixels"
    if max(size) > max_side:
        raise refused_option("/dpi", f"{begin}; at most {max_side} a side", "out_of_range")
    if size.width * size.height > max_pixels:
        message = f"{begin}; a {options.format} has at most {max_pixels} in all"
        raise refused_option("/dpi", message, "out_of_range")
    return size


def _page_size(drawing: DrawableSource, index: int) -> Sequence[float]:
    size: Sequence[float] = drawing.document.get_page_size(index)
    return size


def _picture_file(
    drawing: DrawableSource, index: int, size: _Size, tool_input: ToolInput[ToImagesOptions]
) -> RenderedFile:
    picture = _draw_page(drawing.document, index, size)
    if tool_input.test:
        picture = mark_image(picture)
    return _ENCODERS[tool_input.options.format](picture)


def _draw_page(document: pypdfium2.PdfDocument, index: int, size: _Size) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    page = document[index]
    try:
        strip_height = max(_STRIP_PIXELS // size.width, 1)
        for top in range(0, size.height, strip_height):
            strip = _Size(size.width, min(strip_height, size.height - top))
            picture.paste(_draw_strip(page, document.formenv, size, strip, top), (0, top))
    finally:
        page.close()
    return picture


def _draw_strip(
    page: pypdfium2.PdfPage,
    form: pypdfium2.PdfFormEnv | None,
    size: _Size,
    strip: _Size,
    top: int,
) -> Image.Image:
    bitmap = pypdfium2.PdfBitmap.new_native(*strip, pdfium.FPDFBitmap_BGR, rev_byteorder=True)
    bitmap.fill_rect((255, 255, 255, 255), 0, 0, *strip)
    flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
    arguments = (bitmap, page, 0, -top, *size, 0, flags)
    pdfium.FPDF_RenderPageBitmap(*arguments)
    if form is not None:
        pdfium.FPDF_FFLDraw(form, *arguments)
    return Image.frombuffer("RGB", strip, bitmap.buffer, "raw", "RGB", bitmap.stride, 1)
