"""The contract: the Fee is the sum of the milestones, with its tax."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, to, written

PAGES: Final = 12
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield each amount and the sums."""
    amounts = [exact(milestone["amount"]) for milestone in data["milestones"]]
    fee = sum(amounts, Decimal(0))
    tax = to("0.01", fee * exact(data["vat_rate"]))
    for amount in (*amounts, fee, tax, fee + tax):
        yield written(amount, ",", ".")
