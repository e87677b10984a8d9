"""WebP: small pictures, with or without loss, transparent or not."""

from typing import Final

from chalicelib.engine.formats.format import Finishing, Format
from chalicelib.engine.formats.raster import DEFAULT_QUALITY, draw, picture_of, produced
from chalicelib.engine.job import Produced

# Half the time of the encoder's own default, for files of the same size.
_METHOD: Final = 2


def _finish(content: bytes, finishing: Finishing) -> Produced:
    options = finishing.output.image.format_options
    picture = picture_of(content, finishing)
    if options.lossless:
        return produced("webp", picture, lossless=True)
    return produced("webp", picture, quality=options.quality or DEFAULT_QUALITY, method=_METHOD)


WEBP: Final = Format("webp", draw, _finish)
