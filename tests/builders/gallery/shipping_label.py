"""The shipping label: its check digit is right, and its picture has 300 dots an inch."""

from collections.abc import Iterator
from typing import Any, Final

PAGES: Final = 1
SIZE: Final = (100, 150)
PIXELS: Final = (1182, 1773)


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the number of the parcel and where it goes."""
    digits = [int(digit) for digit in data["sscc"]]
    assert (3 * sum(digits[0::2]) + sum(digits[1::2])) % 10 == 0
    yield f"(00) {data['sscc']}"
    yield data["route"]["code"]
    yield f"{data['recipient']['postcode']} {data['recipient']['city']}"
    assert data["shipment"]["piece"] <= data["shipment"]["pieces"]
    yield f"{data['shipment']['piece']} of {data['shipment']['pieces']}"
