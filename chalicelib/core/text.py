"""Text that goes into names and headers."""

import re
import unicodedata
from typing import Final
from urllib.parse import quote

_REFUSED: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u200b-\u200f\u2028-\u202e\u2066-\u2069]')
_RESERVED: Final = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_NAME_BYTES: Final = 200
# One name may be given to files of several formats.
_EXTENSION: Final = re.compile(r"(?i)\.(?:pdf|png|jpe?g|webp|html?|xml|zip|txt)$")


def safe_filename(text: str | None, *, fallback: str, extension: str) -> str:
    """Return a file name that every file system takes, with this extension.

    It takes the place of another format's. Path separators, control and direction characters go;
    an empty rest becomes `fallback`.
    """
    name = unicodedata.normalize("NFC", text or "")
    name = _REFUSED.sub("", name).strip(" .")
    name = _EXTENSION.sub("", name).rstrip(" .")
    if not name or _RESERVED.fullmatch(name):
        name = fallback
    return f"{_cut(name)}.{extension}"


def content_disposition(filename: str) -> str:
    """Return an `attachment` header (RFC 6266) that carries any name."""
    plain = filename.encode("ascii", "replace").decode().replace('"', "_").replace("\\", "_")
    plain = plain.replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def _cut(name: str) -> str:
    return name.encode()[:_NAME_BYTES].decode(errors="ignore")
