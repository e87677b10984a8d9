"""CII elements that recur: dates, periods, identifiers, allowances and charges."""

import datetime as dt

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.totals import adjustment_amount
from chalicelib.engine.einvoice.xml_writer import (
    XmlNode,
    format_amount,
    format_date_102,
    format_rate,
    group,
    leaf,
)

# UNTDID 2379: CCYYMMDD.
_DATE_FORMAT: str = "102"


def date_time(tag: str, value: dt.date | None) -> XmlNode | None:
    """Return a date as an element of this tag."""
    return group(tag, leaf("udt:DateTimeString", format_date_102(value), format=_DATE_FORMAT))


def formatted_date_time(tag: str, value: dt.date | None) -> XmlNode | None:
    """Return a date of a document reference, which has a qualified data type."""
    return group(tag, leaf("qdt:DateTimeString", format_date_102(value), format=_DATE_FORMAT))


def billing_period(period: Period | None) -> XmlNode | None:
    """Return the period of an invoice or a line (BG-14, BG-26)."""
    if period is None:
        return None
    return group(
        "ram:BillingSpecifiedPeriod",
        date_time("ram:StartDateTime", period.start),
        date_time("ram:EndDateTime", period.end),
    )


def identifier(tag: str, value: Identifier | None) -> XmlNode | None:
    """Return an identifier with its scheme as an element of this tag."""
    return None if value is None else leaf(tag, value.id, schemeID=value.scheme)


def party_identifiers(*values: Identifier | None) -> tuple[XmlNode | None, ...]:
    """Return the identifiers of a party: first `ID` without a scheme, then `GlobalID` with one."""
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
    adjustment: Adjustment, *, charge: bool, category: XmlNode | None = None
) -> XmlNode | None:
    """Return an allowance or a charge; `category` is the VAT that only those of a document have."""
    return group(
        "ram:SpecifiedTradeAllowanceCharge",
        group("ram:ChargeIndicator", leaf("udt:Indicator", "true" if charge else "false")),
        leaf("ram:CalculationPercent", format_rate(adjustment.percent)),
        leaf("ram:BasisAmount", format_amount(adjustment.base_amount)),
        leaf("ram:ActualAmount", format_amount(adjustment_amount(adjustment))),
        leaf("ram:ReasonCode", adjustment.reason_code),
        leaf("ram:Reason", adjustment.reason),
        category,
    )


def trade_tax(tag: str, vat: Vat) -> XmlNode | None:
    """Return the VAT of a line, an allowance or a charge; category O has no rate (BR-O-05)."""
    applied = None if vat.category == "O" else format_rate(vat.rate) or "0"
    return group(
        tag,
        leaf("ram:TypeCode", "VAT"),
        leaf("ram:CategoryCode", vat.category),
        leaf("ram:RateApplicablePercent", applied),
    )
