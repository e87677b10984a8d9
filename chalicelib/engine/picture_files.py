"""Pictures as files: the settings of each format, the same for renders and PDF tools."""

import io
from typing import TYPE_CHECKING, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_QUALITY: Final = 90
# From this quality on, chroma is not subsampled (4:4:4), so that coloured text keeps its edges. A
# lower quality asks for a small file.
_FULL_COLOUR_QUALITY: Final = 90
# Takes half the time of WebP's default method, for files of the same size.
_WEBP_METHOD: Final = 2


def png_file(picture: "Image.Image") -> RenderedFile:
    """Return a picture as PNG."""
    return _encode_picture("png", picture)


def jpeg_file(
    picture: "Image.Image", quality: int = DEFAULT_QUALITY, *, progressive: bool = False
) -> RenderedFile:
    """Return an opaque picture as JPEG."""
    subsampling = "4:4:4" if quality >= _FULL_COLOUR_QUALITY else "4:2:0"
    return _encode_picture(
        "jpeg", picture, quality=quality, progressive=progressive, subsampling=subsampling
    )


def webp_file(
    picture: "Image.Image", quality: int = DEFAULT_QUALITY, *, lossless: bool = False
) -> RenderedFile:
    """Return a picture as WebP; a lossless one has no quality."""
    if lossless:
        return _encode_picture("webp", picture, lossless=True)
    return _encode_picture("webp", picture, quality=quality, method=_WEBP_METHOD)


def _encode_picture(format_: str, picture: "Image.Image", **settings: str | int) -> RenderedFile:
    """Compress a picture.

    Raises RenderFailure `render_failed` for a picture that the format cannot hold.
    """
    result = io.BytesIO()
    try:
        picture.save(result, format_, **settings)
    except ValueError as error:
        message = f"the picture cannot be compressed as {format_}: {error}; make it smaller"
        raise RenderFailure("render_failed", message) from error
    width, height = picture.size
    return RenderedFile(format_, result.getvalue(), f"image/{format_}", width=width, height=height)
