"""PNG: the picture as the browser takes it, pixel by pixel."""

from typing import Final

from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.formats.raster import draw, picture_of, pixels, produced, size_of, untouched
from chalicelib.engine.job import Produced

_LENGTHY_PIXELS: Final = 1_000_000


def _finish(content: bytes, finishing: Finishing) -> Produced:
    if not untouched(finishing):
        return produced("png", picture_of(content, finishing))
    width, height = size_of(content)
    return Produced("png", content, "image/png", width=width, height=height)


def _lengthy(content: bytes, finishing: Finishing) -> bool:
    return not untouched(finishing) and pixels(content) > _LENGTHY_PIXELS


PNG: Final = Format("png", draw, _finish, _lengthy)
