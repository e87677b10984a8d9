"""JPEG format: small pictures of photographs, without transparency."""

from typing import Final

from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.raster import (
    DEFAULT_QUALITY,
    encode_picture,
    opaque_picture,
    pixel_count,
    prepare_picture,
    take_screenshot,
)
from chalicelib.engine.job import RenderedFile

# From this quality on, chroma is not subsampled (4:4:4), so that coloured text keeps its edges. A
# lower quality asks for a small file.
_FULL_COLOUR_QUALITY: Final = 90
_SLOW_PIXELS: Final = 4_000_000


def _finish(content: bytes, finishing: FinishingContext) -> RenderedFile:
    options = finishing.output.image.compression
    quality = options.quality or DEFAULT_QUALITY
    return encode_picture(
        "jpeg",
        opaque_picture(prepare_picture(content, finishing)),
        quality=quality,
        progressive=bool(options.progressive),
        subsampling="4:4:4" if quality >= _FULL_COLOUR_QUALITY else "4:2:0",
    )


def _is_slow(content: bytes, _finishing: FinishingContext) -> bool:
    return pixel_count(content) > _SLOW_PIXELS


JPEG: Final = RenderFormat("jpeg", take_screenshot, _finish, _is_slow)
