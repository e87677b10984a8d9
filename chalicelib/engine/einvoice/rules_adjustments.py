"""Rules of allowances and charges, of lines and of the document."""

from collections.abc import Iterator, Sequence

from chalicelib.engine.einvoice.model import Adjustment

type Fault = tuple[str, str, str]
"""A rule, where in the invoice it is broken, and what has to be there instead."""


def adjustment_faults(
    adjustments: Sequence[Adjustment], path: str, amount_rule: str, reason_rule: str
) -> Iterator[Fault]:
    """Yield what is wrong with each; the two rules are those of its kind."""
    for n, each in enumerate(adjustments):
        at = f"{path}[{n}]"
        if not (each.reason or each.reason_code):
            yield reason_rule, f"{at}.reason", "is required, or reason_code"
        if each.amount is None and (each.percent is None or each.base_amount is None):
            yield amount_rule, f"{at}.amount", "is required, or percent and base_amount"
