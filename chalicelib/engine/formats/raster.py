"""What PNG, JPEG and WebP share: one picture of the page, fitted, marked and compressed."""

import io
import struct
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page import Page
from chalicelib.engine.finishing.watermark import mark_picture
from chalicelib.engine.formats.format import Finishing
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_QUALITY: Final = 90
# They are the first members of IHDR, which is always the first chunk.
_SIZE_AT: Final = 16


def draw(page: Page, output: Output) -> bytes:
    """Take the picture as a PNG; the same for every format."""
    return page.picture(output)


def untouched(finishing: Finishing) -> bool:
    """Tell whether the picture is wanted as it was taken."""
    return not finishing.test and finishing.output.image.frame is None


def pixels(content: bytes) -> int:
    """Return how many pixels a PNG has."""
    width, height = size_of(content)
    return width * height


def size_of(content: bytes) -> tuple[int, int]:
    """Return width and height of a PNG."""
    width, height = struct.unpack_from(">II", content, _SIZE_AT)
    return width, height


def picture_of(content: bytes, finishing: Finishing) -> "Image.Image":
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
    picture = _fitted(picture, finishing.output)
    return mark_picture(picture) if finishing.test else picture


def on_white(picture: "Image.Image") -> "Image.Image":
    """Return a picture without transparency."""
    from PIL import Image  # noqa: PLC0415 -- as above

    if picture.mode == "RGB":
        return picture
    sheet = Image.new("RGB", picture.size, "white")
    sheet.paste(picture, mask=picture.getchannel("A"))
    return sheet


def produced(format_: str, picture: "Image.Image", **settings: Any) -> Produced:
    """Compress a picture; raises RenderFailure `render_failed` for one that cannot be."""
    result = io.BytesIO()
    try:
        picture.save(result, format_, **settings)
    except ValueError as error:
        message = f"the picture cannot be compressed as {format_}: {error}; make it smaller"
        raise RenderFailure("render_failed", message) from error
    width, height = picture.size
    return Produced(format_, result.getvalue(), f"image/{format_}", width=width, height=height)


def _fitted(picture: "Image.Image", output: Output) -> "Image.Image":
    """Bring a picture to the size that `fit` asks for."""
    from PIL import ImageOps  # noqa: PLC0415 -- as above

    options, window = output.image, output.window()
    if options.frame is None or window is None:
        return picture
    width, height = (round(side * window.device_scale_factor) for side in options.frame)
    match options.fit:
        case "contain":
            return _contained(picture, width, height)
        case "cover":
            return ImageOps.fit(picture, (width, height))
        case _:
            return picture.resize((width, height))


def _contained(picture: "Image.Image", width: int, height: int) -> "Image.Image":
    """Put the whole picture into the middle of a sheet that is white, or transparent as it is."""
    from PIL import Image  # noqa: PLC0415 -- as above

    scale = min(width / picture.width, height / picture.height)
    size = [max(round(side * scale), 1) for side in picture.size]
    sheet = Image.new(picture.mode, (width, height), "white" if picture.mode == "RGB" else 0)
    sheet.paste(
        picture.resize((size[0], size[1])), ((width - size[0]) // 2, (height - size[1]) // 2)
    )
    return sheet
