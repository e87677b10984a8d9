"""What an answer tells before its body comes."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Arrival(NamedTuple):
    """How the page itself was answered; `problem` says why it was not."""

    url: str
    status: int | None = None
    problem: str | None = None
    refused: bool = False


def size_of(event: Mapping[str, Any]) -> int:
    """Return the size that an answer announces; 0: none."""
    for header in event.get("responseHeaders", ()):
        if header["name"].lower() == "content-length" and header["value"].isdecimal():
            return int(header["value"])
    return 0


def is_aborted(event: Mapping[str, Any]) -> bool:
    """Tell whether it was broken off, as by a download or by the page itself."""
    return event.get("responseErrorReason") == "Aborted"
