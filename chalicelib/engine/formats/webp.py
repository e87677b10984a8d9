"""WebP format: small pictures, lossy or lossless, with or without transparency."""

from typing import Final

from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.raster import (
    pixel_count,
    prepare_picture,
    take_screenshot,
)
from chalicelib.engine.picture_files import DEFAULT_QUALITY, webp_file

_SLOW_PIXELS: Final = 2_000_000
# Lossless encoding takes up to 3 s per million pixels.
_SLOW_PIXELS_LOSSLESS: Final = 200_000


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    options = finishing.output.image.compression
    picture = prepare_picture(content, finishing)
    quality = options.quality or DEFAULT_QUALITY
    return webp_file(picture, quality, lossless=bool(options.lossless))


def _is_slow(content: bytes, finishing: FinishingContext) -> bool:
    lossless = finishing.output.image.compression.lossless
    return pixel_count(content) > (_SLOW_PIXELS_LOSSLESS if lossless else _SLOW_PIXELS)


WEBP: Final = RenderFormat("webp", take_screenshot, _finish, _is_slow)
