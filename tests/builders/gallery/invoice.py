"""The invoice: net, taxes and total."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, to, written

PAGES: Final = 2
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the amount of each line, and the sums."""
    bill = data["bill"]
    for line in bill["lines"]:
        yield written(net(line), ".", ",")
    bases, taxes = taxes_of(bill)
    total = sum(bases.values(), Decimal(0))
    for amount in (*bases.values(), *taxes, total):
        yield written(amount, ".", ",")
    yield written(total + sum(taxes), ".", ",") + "€"


def net(line: Mapping[str, Any]) -> Decimal:
    """Return quantity times price, to the cent."""
    return to("0.01", exact(line["quantity"]) * exact(line["price"]["net"]))


def taxes_of(bill: Mapping[str, Any]) -> tuple[dict[str, Decimal], list[Decimal]]:
    """Return the net amount of each rate, and their taxes."""
    bases: defaultdict[str, Decimal] = defaultdict(Decimal)
    for line in bill["lines"]:
        bases[line["vat"]["rate"]] += net(line)
    return bases, [to("0.01", base * exact(rate) / 100) for rate, base in bases.items()]
