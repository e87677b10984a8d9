"""Rules of invoice lines."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from chalicelib.engine.einvoice.model import Adjustment, Invoice, InvoiceLine, PriceDetails
from chalicelib.engine.einvoice.profiles import InvoiceProfile, Syntax
from chalicelib.engine.einvoice.totals import InvoiceTotals

type RuleViolation = tuple[str, str, str]
"""Rule, path in the invoice, and the message, which completes '<path> ...'."""


def adjustment_violations(
    adjustments: Sequence[Adjustment], path: str, amount_rule: str, reason_rule: str
) -> Iterator[RuleViolation]:
    """Yield the violations of allowances or charges.

    `amount_rule` and `reason_rule` name the rules of this kind at this place.
    """
    for n, each in enumerate(adjustments):
        at = f"{path}[{n}]"
        if not (each.reason or each.reason_code):
            yield reason_rule, f"{at}.reason", "is required, or reason_code"
        if each.amount is None and (each.percent is None or each.base_amount is None):
            yield amount_rule, f"{at}.amount", "is required, or percent and base_amount"


def line_violations(
    invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile, syntax: Syntax
) -> Iterator[RuleViolation]:
    """Yield the violations of the lines."""
    pairs = zip(invoice.lines, totals.line_net_amounts, strict=True)
    for n, (line, net_amount) in enumerate(pairs):
        at = f"lines[{n}]"
        yield from _line(line, net_amount, at)
        yield from _price(line.price, f"{at}.price", may_be_negative=profile.name == "EXTENDED")
        # PEPPOL and XRECHNUNG have a rule of their own (R121).
        if line.price.base_quantity == 0 and profile.name not in {"PEPPOL", "XRECHNUNG"}:
            yield "PLT-BASE-QUANTITY", f"{at}.price.base_quantity", "must not be 0"
        # UBL has the discount alone, CII only together with the gross price.
        if syntax == "cii" and line.price.gross is None and line.price.discount is not None:
            yield "PLT-PRICE-GROSS", f"{at}.price.gross", "is required beside discount"


def _line(line: InvoiceLine, net_amount: Decimal, at: str) -> Iterator[RuleViolation]:
    yield from adjustment_violations(line.allowances, f"{at}.allowances", "BR-41", "BR-42")
    yield from adjustment_violations(line.charges, f"{at}.charges", "BR-43", "BR-44")
    if line.net_amount is not None and line.net_amount != net_amount:
        message = f"must be {net_amount}, as computed, within 0.02, or be left out"
        yield "PEPPOL-EN16931-R120", f"{at}.net_amount", message
    period = line.period
    if period and period.start and period.end and period.end < period.start:
        yield "BR-30", f"{at}.period.end", "must not be before start"
    standard_id = line.item.standard_id
    if standard_id and not standard_id.scheme:
        yield "BR-64", f"{at}.item.standard_id.scheme", "is required"


def _price(price: PriceDetails, at: str, *, may_be_negative: bool) -> Iterator[RuleViolation]:
    if price.net < 0 and not may_be_negative:
        yield "BR-27", f"{at}.net", "must not be negative: make the quantity negative instead"
    if price.gross is not None and price.gross < 0 and not may_be_negative:
        yield "BR-28", f"{at}.gross", "must not be negative"
