"""The payslip: gross, deductions and net."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, to, written

PAGES: Final = 1
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the sums."""
    earned = [
        (to("0.01", exact(line["base"]) * exact(line.get("units", 1))), line["liable"])
        for line in data["earnings"]
    ]
    gross = sum((amount for amount, _ in earned), Decimal(0))
    liable = sum((amount for amount, counts in earned if counts), Decimal(0))
    off = sum(
        (
            to("0.05", liable * exact(line["rate"])) if "rate" in line else exact(line["amount"])
            for line in data["deductions"]
        ),
        Decimal(0),
    )
    extra = sum((exact(line["amount"]) for line in data["allowances"]), Decimal(0))
    for amount in (gross, -off, gross - off + extra):
        yield written(amount, "", ",")
