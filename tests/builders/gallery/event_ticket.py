"""The event ticket: its seat, its price, and a picture for a phone."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from tests.builders.gallery import exact, written

PAGES: Final = 1
SIZE: Final = (95, 169)
PIXELS: Final = (1080, 1920)


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield what the doorkeeper reads."""
    starts = datetime.fromisoformat(data["event"]["starts"])
    yield f"{starts:%H:%M}"
    ticket = data["ticket"]
    yield ticket["number"]
    yield f"Door {ticket['door']} Row {ticket['row']} Seat {ticket['seat']}"
    yield f"€{written(exact(ticket['price']), ',', '.')}"
