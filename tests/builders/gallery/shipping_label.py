"""The shipping label: its check digit is right."""

from collections.abc import Iterator
from typing import Any, Final

PAGES: Final = 1
SIZE: Final = (100, 150)
PIXELS: Final = (1134, 1701)


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the number of the parcel."""
    digits = [int(digit) for digit in data["sscc"]]
    assert (3 * sum(digits[0::2]) + sum(digits[1::2])) % 10 == 0
    yield data["sscc"]
