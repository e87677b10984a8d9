"""What PNG, JPEG and WebP share: one picture of the page, fitted, marked and compressed."""

import io
import struct
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.finishing.test_mark import mark_image
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.options.output import OutputOptions

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_QUALITY: Final = 90
# They are the first members of IHDR, which is always the first chunk.
_IHDR_SIZE_OFFSET: Final = 16


def take_screenshot(page: BrowserPage, output: OutputOptions) -> bytes:
    """Take the picture as a PNG; the same for every format."""
    return page.picture(output)


def is_unprocessed(finishing: FinishingContext) -> bool:
    """Tell whether the picture is wanted as it was taken."""
    return not finishing.test and finishing.output.image.fit_size is None


def pixel_count(content: bytes) -> int:
    """Return how many pixels a PNG has."""
    width, height = png_size(content)
    return width * height


def png_size(content: bytes) -> tuple[int, int]:
    """Return width and height of a PNG."""
    width, height = struct.unpack_from(">II", content, _IHDR_SIZE_OFFSET)
    return width, height


def prepare_picture(content: bytes, finishing: FinishingContext) -> "Image.Image":
    """Return the pixels as they are wanted: RGB, or RGBA where nothing lies behind the page."""
    from PIL import Image  # noqa: PLC0415 -- a process that makes no pictures need not pay

    # The picture comes from our own browser and its size has been limited there
    # (browser/pictures.py).
    Image.MAX_IMAGE_PIXELS = None
    picture: Image.Image = Image.open(io.BytesIO(content))
    picture.load()
    if finishing.output.image.transparent:
        # One that covers everything comes without its transparency.
        picture = picture.convert("RGBA")
    picture = _fit_picture(picture, finishing.output)
    return mark_image(picture) if finishing.test else picture


def opaque_picture(picture: "Image.Image") -> "Image.Image":
    """Return a picture without transparency."""
    from PIL import Image  # noqa: PLC0415 -- as above

    if picture.mode == "RGB":
        return picture
    sheet = Image.new("RGB", picture.size, "white")
    sheet.paste(picture, mask=picture.getchannel("A"))
    return sheet


def encode_picture(format_: str, picture: "Image.Image", **settings: Any) -> RenderedFile:
    """Compress a picture; raises RenderFailure `render_failed` for one that cannot be."""
    result = io.BytesIO()
    try:
        picture.save(result, format_, **settings)
    except ValueError as error:
        message = f"the picture cannot be compressed as {format_}: {error}; make it smaller"
        raise RenderFailure("render_failed", message) from error
    width, height = picture.size
    return RenderedFile(format_, result.getvalue(), f"image/{format_}", width=width, height=height)


def _fit_picture(picture: "Image.Image", output: OutputOptions) -> "Image.Image":
    """Bring a picture to the size that `fit` asks for."""
    from PIL import ImageOps  # noqa: PLC0415 -- as above

    options, window = output.image, output.layout_viewport()
    if options.fit_size is None or window is None:
        return picture
    width, height = (round(side * window.device_scale_factor) for side in options.fit_size)
    match options.fit:
        case "contain":
            return _contain_picture(picture, width, height)
        case "cover":
            return ImageOps.fit(picture, (width, height))
        case _:
            return picture.resize((width, height))


def _contain_picture(picture: "Image.Image", width: int, height: int) -> "Image.Image":
    """Put the whole picture into the middle of a sheet that is white, or transparent as it is."""
    from PIL import Image  # noqa: PLC0415 -- as above

    scale = min(width / picture.width, height / picture.height)
    size = [max(round(side * scale), 1) for side in picture.size]
    sheet = Image.new(picture.mode, (width, height), "white" if picture.mode == "RGB" else 0)
    sheet.paste(
        picture.resize((size[0], size[1])), ((width - size[0]) // 2, (height - size[1]) // 2)
    )
    return sheet
