"""First page of a document that was made for a dry run: what a thumbnail is drawn of."""

import io
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile

WIDTH: Final = 480
# Of the drawing, as the PDF tool bounds it.
_MIN_DPI: Final = 36
_MAX_DPI: Final = 300
_POINTS_PER_INCH: Final = 72
# Reducing a larger document to its first page takes longer than a second.
_MAX_PDF_BYTES: Final = 20_000_000
# Of what comes out: it travels on in one call.
_MAX_PAGE_BYTES: Final = 3_000_000
_PICTURES: Final = frozenset({"png", "jpeg", "webp"})


class FirstPage(NamedTuple):
    """A PDF of one page, to be drawn with `dpi` pixels for each inch, or a thumbnail in WebP."""

    format: Literal["pdf", "webp"]
    dpi: int
    content: bytes


def first_page(files: Sequence[RenderedFile]) -> FirstPage | None:
    """Return the first page of a document's files, or None if no file can be shown."""
    for file in files:
        if file.format == "pdf":
            return _page_of_pdf(file.content)
        if file.format in _PICTURES:
            small = _small_picture(file.content)
            return None if small is None else FirstPage("webp", 0, small)
    return None


def _page_of_pdf(content: bytes) -> FirstPage | None:
    # Imported late: few calls need it (decision 7).
    import pikepdf  # noqa: PLC0415

    from chalicelib.engine.pdf.pages.page_selection import PageSelection  # noqa: PLC0415

    if len(content) > _MAX_PDF_BYTES:
        return None
    try:
        with pikepdf.open(io.BytesIO(content)) as document:
            page = document.pages[0]
            left, _, right, _ = map(_number, page.cropbox.as_list())
            points = abs(right - left) * _number(page.obj.get("/UserUnit", 1))
            alone = PageSelection(document).content([0])
    # A protected document opens with its password only.
    except (pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, IndexError):
        return None
    if len(alone) > _MAX_PAGE_BYTES or points <= 0:
        return None
    dpi = round(WIDTH / points * _POINTS_PER_INCH)
    return FirstPage("pdf", min(max(dpi, _MIN_DPI), _MAX_DPI), alone)


def _number(value: Any) -> float:
    return float(value)


def _small_picture(content: bytes) -> bytes | None:
    # Imported late: as above.
    from PIL import Image  # noqa: PLC0415

    from chalicelib.engine.formats.raster import opaque_picture  # noqa: PLC0415
    from chalicelib.engine.picture_files import webp_file  # noqa: PLC0415

    # Our own browser took the picture, and its size is limited (engine/formats/raster.py).
    Image.MAX_IMAGE_PIXELS = None
    try:
        picture: Image.Image = Image.open(io.BytesIO(content))
        picture.thumbnail((WIDTH, WIDTH * picture.height // picture.width or 1))
        if picture.mode != "RGB":
            picture = opaque_picture(picture.convert("RGBA"))
        return webp_file(picture).content
    # Publishing goes on without a thumbnail. A canvas may be one pixel taller than a WebP.
    except (OSError, ValueError, RenderFailure):
        return None
