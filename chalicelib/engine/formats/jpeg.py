"""JPEG: small pictures of photographs; nothing in them is transparent."""

from typing import Final

from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.formats.raster import (
    DEFAULT_QUALITY,
    draw,
    on_white,
    picture_of,
    pixels,
    produced,
)
from chalicelib.engine.job import Produced

# Coloured text keeps its edges only where colours have as many pixels as brightness has; who
# asks for less quality wants a small file.
_FULL_COLOUR_QUALITY: Final = 90
_LENGTHY_PIXELS: Final = 4_000_000


def _finish(content: bytes, finishing: Finishing) -> Produced:
    options = finishing.output.image.format_options
    quality = options.quality or DEFAULT_QUALITY
    return produced(
        "jpeg",
        on_white(picture_of(content, finishing)),
        quality=quality,
        progressive=bool(options.progressive),
        subsampling="4:4:4" if quality >= _FULL_COLOUR_QUALITY else "4:2:0",
    )


def _lengthy(content: bytes, _finishing: Finishing) -> bool:
    return pixels(content) > _LENGTHY_PIXELS


JPEG: Final = Format("jpeg", draw, _finish, _lengthy)
