"""JPEG format: small pictures of photographs, without transparency."""

from typing import Final

from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.raster import (
    opaque_picture,
    pixel_count,
    prepare_picture,
    take_screenshot,
)
from chalicelib.engine.picture_files import DEFAULT_QUALITY, jpeg_file

_SLOW_PIXELS: Final = 4_000_000


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    options = finishing.output.image.compression
    return jpeg_file(
        opaque_picture(prepare_picture(content, finishing)),
        options.quality or DEFAULT_QUALITY,
        progressive=bool(options.progressive),
    )


def _is_slow(content: bytes, _finishing: FinishingContext) -> bool:
    return pixel_count(content) > _SLOW_PIXELS


JPEG: Final = RenderFormat("jpeg", take_screenshot, _finish, _is_slow)
