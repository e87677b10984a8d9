"""What recurs in CII: dates, periods, identifiers, allowances and charges."""

import datetime as dt

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.totals import adjustment_amount
from chalicelib.engine.einvoice.xmlwrite import Node, amount, compact_day, group, leaf, rate

_DAY: str = "102"


def moment(tag: str, value: dt.date | None) -> Node | None:
    """Return a date."""
    return group(tag, leaf("udt:DateTimeString", compact_day(value), format=_DAY))


def formatted_moment(tag: str, value: dt.date | None) -> Node | None:
    """Return a date of the kind that references to documents carry."""
    return group(tag, leaf("qdt:DateTimeString", compact_day(value), format=_DAY))


def billing_period(period: Period | None) -> Node | None:
    """Return a period of an invoice or a line."""
    if period is None:
        return None
    return group(
        "ram:BillingSpecifiedPeriod",
        moment("ram:StartDateTime", period.start),
        moment("ram:EndDateTime", period.end),
    )


def identifier(tag: str, value: Identifier | None) -> Node | None:
    """Return an identifier with its scheme."""
    return None if value is None else leaf(tag, value.id, schemeID=value.scheme)


def party_identifiers(*values: Identifier | None) -> tuple[Node | None, ...]:
    """Return identifiers of a party: first those without, then those with a scheme."""
    present = [value for value in values if value is not None]
    return (
        *(leaf("ram:ID", value.id) for value in present if not value.scheme),
        *(
            leaf("ram:GlobalID", value.id, schemeID=value.scheme)
            for value in present
            if value.scheme
        ),
    )


def allowance_charge(
    adjustment: Adjustment, *, charge: bool, category: Node | None = None
) -> Node | None:
    """Return an allowance or a charge of the document or of a line."""
    return group(
        "ram:SpecifiedTradeAllowanceCharge",
        group("ram:ChargeIndicator", leaf("udt:Indicator", "true" if charge else "false")),
        leaf("ram:CalculationPercent", rate(adjustment.percent)),
        leaf("ram:BasisAmount", amount(adjustment.base_amount)),
        leaf("ram:ActualAmount", amount(adjustment_amount(adjustment))),
        leaf("ram:ReasonCode", adjustment.reason_code),
        leaf("ram:Reason", adjustment.reason),
        category,
    )


def trade_tax(tag: str, vat: Vat) -> Node | None:
    """Return the VAT of a line, an allowance or a charge; category O has no rate (BR-O-05)."""
    applied = None if vat.category == "O" else rate(vat.rate) or "0"
    return group(
        tag,
        leaf("ram:TypeCode", "VAT"),
        leaf("ram:CategoryCode", vat.category),
        leaf("ram:RateApplicablePercent", applied),
    )
