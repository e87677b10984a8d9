"""Picture of a page, by pdfium."""

from typing import Final, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image

# A page is drawn in strips of this size: pdfium's bitmap lies in memory beside the picture.
_STRIP_PIXELS: Final = 24_000_000


class PictureSize(NamedTuple):
    """Sides of a picture in pixels."""

    width: int
    height: int


def draw_page(document: pypdfium2.PdfDocument, index: int, size: PictureSize) -> Image.Image:
    """Return a page with its annotations and form fields, on white."""
    picture = Image.new("RGB", size, "white")
    page = document[index]
    try:
        strip_height = max(_STRIP_PIXELS // size.width, 1)
        for top in range(0, size.height, strip_height):
            strip = PictureSize(size.width, min(strip_height, size.height - top))
            picture.paste(_draw_strip(page, document.formenv, size, strip, top), (0, top))
    finally:
        page.close()
    return picture


def _draw_strip(
    page: pypdfium2.PdfPage,
    form: pypdfium2.PdfFormEnv | None,
    size: PictureSize,
    strip: PictureSize,
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
