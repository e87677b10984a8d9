"""Pictures as data URIs: uploads, inline SVG."""

from base64 import b64encode
from collections.abc import Callable
from typing import Final

from chalicelib.contract.template.layer_constraints import UPLOAD_SOURCE

_MAX_IMAGE_BYTES: Final = 20_000_000
_MAGIC_NUMBERS: Final = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
)
_SVG_SNIFF_BYTES: Final = 2_000


class UnusableImageError(ValueError):
    """An upload that cannot be shown; the message says why."""


def image_uri(source: str, uploads: Callable[[str], bytes]) -> str:
    """Return what the page shows for a source: the address as it is, an upload as its content.

    Raises NoPictureError, and what `uploads` raises.
    """
    upload = UPLOAD_SOURCE.fullmatch(source)
    if upload is None:
        return source
    content = uploads(upload[1])
    kind = _media_type(content)
    if kind is None:
        message = "the upload is no PNG, JPEG, GIF, WebP, AVIF or SVG"
        raise UnusableImageError(message)
    if len(content) > _MAX_IMAGE_BYTES:
        message = f"the upload has more than {_MAX_IMAGE_BYTES} bytes"
        raise UnusableImageError(message)
    return data_uri(kind, content)


def svg_uri(svg: str) -> str:
    """Return an SVG as a picture: in one, no script runs and nothing is loaded."""
    return data_uri("image/svg+xml", svg.encode("utf-8", "replace"))


def data_uri(media_type: str, content: bytes) -> str:
    """Return content as an address."""
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def _media_type(content: bytes) -> str | None:
    for at, magic, kind in _MAGIC_NUMBERS:
        if content[at : at + len(magic)] == magic:
            return kind
    return "image/svg+xml" if b"<svg" in content[:_SVG_SNIFF_BYTES].lower() else None
