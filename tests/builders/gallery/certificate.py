"""The certificate: name and date."""

from collections.abc import Iterator
from typing import Any, Final

PAGES: Final = 1
SIZE: Final = (297, 210)


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the number of the certificate."""
    yield data["certificate"]
