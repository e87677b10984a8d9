"""The report: its revenues agree."""

from collections.abc import Iterator
from typing import Any, Final

from tests.builders.gallery import A4

PAGES: Final = 3
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the revenue, which products, channels and regions share."""
    revenue = sum(product["revenue"] for product in data["products"])
    assert sum(channel["amount"] for channel in data["channels"]) == revenue
    assert sum(region["revenue"] for region in data["regions"]) == revenue
    yield f"£{revenue:,}"
