"""The certificate: its holder, its number and its dates."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

PAGES: Final = 1
SIZE: Final = (297, 210)


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield what is certified, and when."""
    yield data["certificate"]
    yield data["holder"]["name"]
    yield f"{data['course']['hours']} hours"
    for day in (data["course"]["start"], data["course"]["end"], data["result"]["date"]):
        yield f"{date.fromisoformat(day):%-d %B %Y}"
