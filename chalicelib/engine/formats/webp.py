"""WebP format: small pictures, lossy or lossless, with or without transparency."""

from typing import Final

from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.raster import (
    DEFAULT_QUALITY,
    encode_picture,
    pixel_count,
    prepare_picture,
    take_screenshot,
)
from chalicelib.engine.job import RenderedFile

# Takes half the time of the encoder's default method, for files of the same size.
_METHOD: Final = 2
_SLOW_PIXELS: Final = 2_000_000
# Lossless encoding takes up to 3 s per million pixels.
_SLOW_PIXELS_LOSSLESS: Final = 200_000


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    options = finishing.output.image.compression
    picture = prepare_picture(content, finishing)
    if options.lossless:
        return encode_picture("webp", picture, lossless=True)
    return encode_picture(
        "webp", picture, quality=options.quality or DEFAULT_QUALITY, method=_METHOD
    )


def _is_slow(content: bytes, finishing: FinishingContext) -> bool:
    lossless = finishing.output.image.compression.lossless
    return pixel_count(content) > (_SLOW_PIXELS_LOSSLESS if lossless else _SLOW_PIXELS)


WEBP: Final = RenderFormat("webp", take_screenshot, _finish, _is_slow)
