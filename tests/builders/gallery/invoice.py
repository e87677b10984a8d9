"""The invoice: net, taxes and total."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, to, written

PAGES: Final = 3
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the sums."""
    net = {0.07: Decimal(0), 0.19: Decimal(0)}
    for part in data["parts"]:
        for line in part["lines"]:
            net[line["vat"]] += to("0.01", exact(line["quantity"]) * exact(line["price"]))
    taxes = [to("0.01", amount * exact(rate)) for rate, amount in net.items()]
    total = sum(net.values(), Decimal(0))
    for amount in (*net.values(), *taxes, total, total + sum(taxes)):
        yield written(amount, ".", ",") + "€"
