"""Rules of allowances and charges, of lines and of the document."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from chalicelib.engine.einvoice.model import Adjustment

type Fault = tuple[str, str, str]
"""A rule, where in the invoice it is broken, and what has to be there instead."""

# As far as the official sheet lets them differ.
_SLACK: Final = Decimal("0.02")


def adjustment_faults(
    adjustments: Sequence[Adjustment], path: str, amount_rule: str, reason_rule: str
) -> Iterator[Fault]:
    """Yield what is wrong with each; the two rules are those of its kind."""
    for n, each in enumerate(adjustments):
        at = f"{path}[{n}]"
        if not (each.reason or each.reason_code):
            yield reason_rule, f"{at}.reason", "is required, or reason_code"
        share = _share(each)
        if each.amount is None and share is None:
            yield amount_rule, f"{at}.amount", "is required, or percent and base_amount"
        if each.amount is not None and share is not None and abs(each.amount - share) > _SLACK:
            message = "must be percent of base_amount, or be left out"
            yield "PEPPOL-EN16931-R040", f"{at}.amount", message


def _share(adjustment: Adjustment) -> Decimal | None:
    if adjustment.percent is None or adjustment.base_amount is None:
        return None
    return adjustment.base_amount * adjustment.percent / 100
