"""The credit note: its sums are negative, and what remains of the invoice."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, written
from tests.builders.gallery.invoice import net, taxes_of

PAGES: Final = 1
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield the amount of each line, the sums, and the rest."""
    bill = data["bill"]
    assert bill["type_code"] == "381"
    for line in bill["lines"]:
        yield written(-net(line), ".", ",")
    bases, taxes = taxes_of(bill)
    total = sum(bases.values(), Decimal(0))
    for amount in (*bases.values(), *taxes, total):
        yield written(-amount, ".", ",")
    given_back = total + sum(taxes)
    yield written(-given_back, ".", ",") + "€"
    yield written(exact(data["corrected"]["grand_total"]) - given_back, ".", ",") + "€"
