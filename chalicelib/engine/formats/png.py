"""PNG: the picture as the browser takes it, pixel by pixel."""

import struct
from typing import Final

from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.formats.raster import draw, picture_of, produced, untouched
from chalicelib.engine.job import Produced

# Width and height are the first members of IHDR, which is always the first chunk.
_SIZE_AT: Final = 16


def _finish(content: bytes, finishing: Finishing) -> Produced:
    if not untouched(finishing):
        return produced("png", picture_of(content, finishing))
    width, height = struct.unpack_from(">II", content, _SIZE_AT)
    return Produced("png", content, "image/png", width=width, height=height)


PNG: Final = Format("png", draw, _finish)
