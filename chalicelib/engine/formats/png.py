"""PNG format: the browser's picture, pixel by pixel."""

from typing import Final

from chalicelib.engine.context import RenderedFile
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.raster import (
    is_unprocessed,
    pixel_count,
    png_size,
    prepare_picture,
    take_screenshot,
)
from chalicelib.engine.picture_files import png_file

_SLOW_PIXELS: Final = 1_000_000


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    if not is_unprocessed(finishing):
        return png_file(prepare_picture(content, finishing))
    width, height = png_size(content)
    return RenderedFile("png", content, "image/png", width=width, height=height)


def _is_slow(content: bytes, finishing: FinishingContext) -> bool:
    return not is_unprocessed(finishing) and pixel_count(content) > _SLOW_PIXELS


PNG: Final = RenderFormat("png", take_screenshot, _finish, _is_slow)
