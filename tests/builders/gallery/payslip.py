"""The payslip: gross, deductions and net, of the month and of the year."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, to, written

PAGES: Final = 1
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield each amount and the sums, each with that of the year."""
    earned = [
        to("0.01", exact(line["base"]) * exact(line.get("units", 1))) for line in data["earnings"]
    ]
    liable = sum(
        (a for a, line in zip(earned, data["earnings"], strict=True) if line["liable"]), Decimal(0)
    )
    taken = [
        -(to("0.05", liable * exact(line["rate"])) if "rate" in line else exact(line["amount"]))
        for line in data["deductions"]
    ]
    added = [exact(line["amount"]) for line in data["allowances"]]
    net = year = Decimal(0)
    for amounts, lines, sign in (
        (earned, data["earnings"], 1),
        (taken, data["deductions"], -1),
        (added, data["allowances"], 1),
    ):
        before = [sign * exact(line["before"]) for line in lines]
        yield from block(amounts, before)
        net += sum(amounts)
        year += sum(amounts) + sum(before)
    yield written(net, "", ",") + "CHF"
    yield written(year, "", ",")


def block(amounts: list[Decimal], before: list[Decimal]) -> Iterator[str]:
    """Yield the amounts of a block of lines, and its sums."""
    for amount, earlier in zip(amounts, before, strict=True):
        yield written(amount, "", ",")
        yield written(earlier + amount, "", ",")
    yield written(sum(amounts, Decimal(0)), "", ",")
    yield written(sum(amounts + before, Decimal(0)), "", ",")
