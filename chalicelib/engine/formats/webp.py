"""WebP: small pictures, with or without loss, transparent or not."""

from typing import Final

from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.formats.raster import DEFAULT_QUALITY, draw, picture_of, pixels, produced
from chalicelib.engine.job import Produced

# Half the time of the encoder's own default, for files of the same size.
_METHOD: Final = 2
_LENGTHY_PIXELS: Final = 2_000_000
# Up to 3 s for a million of them.
_LENGTHY_PIXELS_LOSSLESS: Final = 200_000


def _finish(content: bytes, finishing: Finishing) -> Produced:
    options = finishing.output.image.format_options
    picture = picture_of(content, finishing)
    if options.lossless:
        return produced("webp", picture, lossless=True)
    return produced("webp", picture, quality=options.quality or DEFAULT_QUALITY, method=_METHOD)


def _lengthy(content: bytes, finishing: Finishing) -> bool:
    lossless = finishing.output.image.format_options.lossless
    return pixels(content) > (_LENGTHY_PIXELS_LOSSLESS if lossless else _LENGTHY_PIXELS)


WEBP: Final = Format("webp", draw, _finish, _lengthy)
