"""Raster picture for PNG, JPEG and WebP: one screenshot, fitted and marked."""

import io
import struct
from typing import TYPE_CHECKING, Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.test_mark import mark_image

if TYPE_CHECKING:
    from PIL import Image

# Width and height begin the IHDR chunk, which is always the first one (PNG, 11.2.2).
_IHDR_SIZE_OFFSET: Final = 16


def take_screenshot(page: BrowserPage, output: OutputOptions) -> bytes:
    """Take a PNG of the page; all raster formats share it."""
    return page.picture(output)


def is_unprocessed(finishing: FinishingContext) -> bool:
    """Tell whether the screenshot itself is the result: no test mark and no fitting."""
    return not finishing.test and finishing.output.image.fit_size is None


def pixel_count(content: bytes) -> int:
    """Return the number of pixels of a PNG."""
    width, height = png_size(content)
    return width * height


def png_size(content: bytes) -> tuple[int, int]:
    """Return width and height of a PNG in pixels."""
    width, height = struct.unpack_from(">II", content, _IHDR_SIZE_OFFSET)
    return width, height


def prepare_picture(content: bytes, finishing: FinishingContext) -> "Image.Image":
    """Return the fitted and marked picture: RGB, or RGBA where the page has no background."""
    from PIL import Image  # noqa: PLC0415 -- only a process that makes pictures pays for it

    # Pillow's limit against decompression bombs is not needed: our own browser took the picture,
    # and browser/output/pictures.py limits its size.
    Image.MAX_IMAGE_PIXELS = None
    picture: Image.Image = Image.open(io.BytesIO(content))
    picture.load()
    if finishing.output.image.is_transparent:
        # The browser writes a picture without transparent pixels as RGB.
        picture = picture.convert("RGBA")
    picture = _fit_picture(picture, finishing.output)
    return mark_image(picture) if finishing.test else picture


def opaque_picture(picture: "Image.Image") -> "Image.Image":
    """Return the picture on white, without transparency."""
    from PIL import Image  # noqa: PLC0415 -- as above

    if picture.mode == "RGB":
        return picture
    background = Image.new("RGB", picture.size, "white")
    background.paste(picture, mask=picture.getchannel("A"))
    return background


def _fit_picture(picture: "Image.Image", output: OutputOptions) -> "Image.Image":
    """Resize a picture to `fit_size` by the rule `fit`."""
    from PIL import ImageOps  # noqa: PLC0415 -- as above

    options, viewport = output.image, output.layout_viewport()
    if options.fit_size is None or viewport is None:
        return picture
    width, height = (round(side * viewport.device_scale_factor) for side in options.fit_size)
    match options.fit:
        case "contain":
            return _contain_picture(picture, width, height)
        case "cover":
            return ImageOps.fit(picture, (width, height))
        case _:
            return picture.resize((width, height))


def _contain_picture(picture: "Image.Image", width: int, height: int) -> "Image.Image":
    """Scale the whole picture into the middle of a canvas of this size.

    The canvas is white, or transparent where the picture is.
    """
    from PIL import Image  # noqa: PLC0415 -- as above

    scale = min(width / picture.width, height / picture.height)
    size = [max(round(side * scale), 1) for side in picture.size]
    canvas = Image.new(picture.mode, (width, height), "white" if picture.mode == "RGB" else 0)
    canvas.paste(
        picture.resize((size[0], size[1])), ((width - size[0]) // 2, (height - size[1]) // 2)
    )
    return canvas
