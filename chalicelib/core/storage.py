"""Paths of files in a customer's store, and codes of its failures.

No data make a path lead out of the destination.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

StorageErrorCode = Literal[
    "storage_denied",
    "storage_not_found",
    "storage_unavailable",
    "storage_rejected",
    "storage_key_invalid",
    "storage_host_key_mismatch",
    "storage_destination_deleted",
    "url_not_allowed",
]

DEFAULT_PATH: Final = "{{ filename }}"
MAX_PATH_BYTES: Final = 1_024
_STEPS: Final = frozenset({".", ".."})
# Control characters, and lone surrogates, which UTF-8 cannot encode.
_DROPPED_CATEGORIES: Final = frozenset({"Cc", "Cs"})


def storage_path(text: str) -> str | None:
    """Return the path of a file, or None if nothing is left of the text or it is too long.

    Control characters, leading slashes, and empty, `.` and `..` segments are dropped.
    """
    path = "/".join(_segments(text))
    return path if path and len(path.encode()) <= MAX_PATH_BYTES else None


def _segments(text: str) -> Iterator[str]:
    return (each for each in _visible(text).split("/") if not _is_step(each))


def _visible(text: str) -> str:
    return "".join(each for each in text if unicodedata.category(each) not in _DROPPED_CATEGORIES)


def _is_step(segment: str) -> bool:
    """Tell whether a segment is no name; on Windows a backslash is a slash."""
    return not segment or any(part in _STEPS for part in segment.split("\\"))
