"""Keys of files in a store."""

import re
import unicodedata
from typing import Final

from chalicelib.features.destinations.outgoing import UploadFailed

MAX_KEY_BYTES: Final = 1_024
_TAG: Final = re.compile(r"\{[{%#]")
_STEPS: Final = frozenset({".", ".."})
_DROPPED_CATEGORIES: Final = frozenset({"Cc", "Cs"})


def storage_key(text: str) -> str:
    """Return the key that a text names, which leads out of no folder.

    Control characters, leading slashes, and empty, `.` and `..` segments are dropped. Raises
    UploadFailed where nothing or more than MAX_KEY_BYTES is left.
    """
    visible = (each for each in text if unicodedata.category(each) not in _DROPPED_CATEGORIES)
    key = "/".join(each for each in "".join(visible).split("/") if not _is_step(each))
    if not key:
        message = "The key of the file is empty."
        raise UploadFailed("storage_key_invalid", message, is_final=True)
    if len(key.encode()) > MAX_KEY_BYTES:
        message = f"The key of the file has more than {MAX_KEY_BYTES} bytes."
        raise UploadFailed("storage_key_invalid", message, is_final=True)
    return key


def literal_part(template: str) -> str:
    """Return a template up to its first tag: all of it if it has none."""
    return _TAG.split(template, maxsplit=1)[0]


def _is_step(segment: str) -> bool:
    """Tell whether a segment is no name; on Windows a backslash is a slash."""
    return not segment or any(part in _STEPS for part in segment.split("\\"))
