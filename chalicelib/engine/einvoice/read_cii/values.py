"""CII value reader: dates, periods, identifiers, VAT, allowances and charges."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.xml_reader import ElementReader

_COMPACT_DATE: Final = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_DATE_FORMAT: Final = "102"


def read_date(
    element: ElementReader, path: str, date_element: str = "udt:DateTimeString"
) -> dt.date | None:
    """Return the date at a path, as `require_date`; None if it is none, which is noted."""
    return element.read_or_note(lambda: _read_date(element, path, date_element))


def _read_date(element: ElementReader, path: str, date_element: str) -> dt.date | None:
    part = element.find(f"{path}/{date_element}")
    text = part.own_text if part else None
    if part is None or text is None:
        return None
    match = _COMPACT_DATE.fullmatch(text.strip())
    if not match or part.attribute("format") not in {None, _DATE_FORMAT}:
        raise part.unreadable_error("is no date of the format 102, such as 20261122")
    return part.calendar_date(*match.groups())


def require_date(element: ElementReader, path: str) -> dt.date:
    """Return the date at a path, in the format 102 of UNTDID 2379.

    Raise UnreadableInvoiceError if there is none.
    """
    return _read_date(element, path, "udt:DateTimeString") or element.raise_missing(path)


def billing_period(element: ElementReader) -> Period | None:
    """Return the period of an invoice or a line (BG-14, BG-26)."""
    period = element.find("ram:BillingSpecifiedPeriod")
    if period is None:
        return None
    return Period(
        start=read_date(period, "ram:StartDateTime"), end=read_date(period, "ram:EndDateTime")
    )


def identifier(element: ElementReader, path: str) -> Identifier | None:
    """Return the identifier at a path with its scheme."""
    part = element.find(path)
    text = part.own_text if part else None
    if part is None or text is None:
        return None
    return Identifier(id=text, scheme=part.attribute("schemeID"))


def party_identifiers(party: ElementReader) -> Iterator[Identifier]:
    """Yield the identifiers of a party, those without a scheme first."""
    for path in ("ram:ID", "ram:GlobalID"):
        for part in party.find_all(path):
            if text := part.own_text:
                yield Identifier(id=text, scheme=part.attribute("schemeID"))


def party_identifier(party: ElementReader) -> Identifier | None:
    """Return the first identifier of a party, or None."""
    return next(party_identifiers(party), None)


def allowance_charges(
    element: ElementReader, *, charges: bool
) -> Iterator[tuple[ElementReader, Adjustment]]:
    """Yield the allowances or the charges, each with its element."""
    for part in element.find_all("ram:SpecifiedTradeAllowanceCharge"):
        indicator = part.require_code("ram:ChargeIndicator/udt:Indicator")
        if (indicator in {"true", "1"}) == charges:
            yield (
                part,
                Adjustment(
                    amount=part.require_number("ram:ActualAmount"),
                    percent=part.number("ram:CalculationPercent"),
                    base_amount=part.number("ram:BasisAmount"),
                    reason=part.text("ram:Reason"),
                    reason_code=part.code("ram:ReasonCode"),
                ),
            )


def trade_tax(element: ElementReader, path: str) -> Vat:
    """Return the VAT of a line, an allowance or a charge."""
    tax = element.require(path)
    tax.mark_read("ram:TypeCode")
    return Vat(
        category=tax.require_code("ram:CategoryCode"),
        rate=tax.number("ram:RateApplicablePercent"),
    )


def tax_registration(party: ElementReader, scheme: str) -> str | None:
    """Return a party's number in a tax scheme: `VA` for VAT, `FC` for the tax number."""
    for part in party.find_all("ram:SpecifiedTaxRegistration/ram:ID"):
        if part.attribute("schemeID") == scheme:
            return part.own_text
    return None
