"""The social card: its title stands on it in full."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

PAGES: Final = 1
# 1200 by 630 pixels at 96 an inch.
SIZE: Final = (317, 167)
PIXELS: Final = (1200, 630)


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield title and day."""
    yield data["title"]
    yield f"{date.fromisoformat(data['published']):%-d %B %Y}"
