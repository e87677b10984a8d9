"""The statement: the balance after each entry, and the sums."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, written

PAGES: Final = 2
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield each balance and the sums; the balance at the page break stands there twice."""
    balance = exact(data["statement"]["opening_balance"])
    amounts = [exact(entry["amount"]) for entry in data["entries"]]
    for amount in amounts:
        balance += amount
        yield written(abs(amount), ",", ".")
        yield written(balance, ",", ".")
    yield written(sum((each for each in amounts if each > 0), Decimal(0)), ",", ".")
    yield written(-sum((each for each in amounts if each < 0), Decimal(0)), ",", ".")
    yield f"£{written(balance, ',', '.')}"
