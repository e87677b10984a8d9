"""What recurs in CII, read: dates, periods, identifiers, allowances and charges."""

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
    """Return a date in the format 102 of UNTDID 2379."""
    found = element.find(f"{path}/{date_element}")
    text = found.own_text if found else None
    if found is None or text is None:
        return None
    day = _COMPACT_DATE.fullmatch(text.strip())
    if not day or found.attribute("format") not in {None, _DATE_FORMAT}:
        raise found.unreadable_error("is no date of the format 102, such as 20261122")
    return found.calendar_date(*day.groups())


def require_date(element: ElementReader, path: str) -> dt.date:
    """Return a date; without it there is no invoice."""
    return read_date(element, path) or element.raise_missing(path)


def billing_period(element: ElementReader) -> Period | None:
    """Return a period of an invoice or a line."""
    period = element.find("ram:BillingSpecifiedPeriod")
    if period is None:
        return None
    return Period(
        start=read_date(period, "ram:StartDateTime"), end=read_date(period, "ram:EndDateTime")
    )


def identifier(element: ElementReader, path: str) -> Identifier | None:
    """Return an identifier with its scheme."""
    found = element.find(path)
    text = found.own_text if found else None
    if found is None or text is None:
        return None
    return Identifier(id=text, scheme=found.attribute("schemeID"))


def party_identifiers(party: ElementReader) -> Iterator[Identifier]:
    """Give the identifiers of a party, those without a scheme first."""
    for path in ("ram:ID", "ram:GlobalID"):
        for found in party.find_all(path):
            if text := found.own_text:
                yield Identifier(id=text, scheme=found.attribute("schemeID"))


def party_identifier(party: ElementReader) -> Identifier | None:
    """Return the identifier of a party that has one."""
    return next(party_identifiers(party), None)


def allowance_charges(
    element: ElementReader, *, charges: bool
) -> Iterator[tuple[ElementReader, Adjustment]]:
    """Give the allowances or the charges, each with its element."""
    for found in element.find_all("ram:SpecifiedTradeAllowanceCharge"):
        indicator = found.require_code("ram:ChargeIndicator/udt:Indicator")
        if (indicator in {"true", "1"}) == charges:
            yield (
                found,
                Adjustment(
                    amount=found.require_number("ram:ActualAmount"),
                    percent=found.number("ram:CalculationPercent"),
                    base_amount=found.number("ram:BasisAmount"),
                    reason=found.text("ram:Reason"),
                    reason_code=found.code("ram:ReasonCode"),
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
    """Return the number that a party has in a scheme of taxes."""
    for found in party.find_all("ram:SpecifiedTaxRegistration/ram:ID"):
        if found.attribute("schemeID") == scheme:
            return found.own_text
    return None
