"""What recurs in CII, read: dates, periods, identifiers, allowances and charges."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.xmlread import Part

_DAY: Final = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_DAY_FORMAT: Final = "102"


def moment(part: Part, path: str, kind: str = "udt:DateTimeString") -> dt.date | None:
    """Return a date in the format 102 of UNTDID 2379."""
    found = part.one(f"{path}/{kind}")
    text = found.value if found else None
    if found is None or text is None:
        return None
    day = _DAY.fullmatch(text.strip())
    if not day or found.attribute("format") not in {None, _DAY_FORMAT}:
        raise found.unreadable("is no date of the format 102, such as 20261122")
    return found.date(*day.groups())


def need_moment(part: Part, path: str) -> dt.date:
    """Return a date; without it there is no invoice."""
    return moment(part, path) or part.lack(path)


def billing_period(part: Part) -> Period | None:
    """Return a period of an invoice or a line."""
    period = part.one("ram:BillingSpecifiedPeriod")
    if period is None:
        return None
    return Period(start=moment(period, "ram:StartDateTime"), end=moment(period, "ram:EndDateTime"))


def identifier(part: Part, path: str) -> Identifier | None:
    """Return an identifier with its scheme."""
    found = part.one(path)
    text = found.value if found else None
    if found is None or text is None:
        return None
    return Identifier(id=text, scheme=found.attribute("schemeID"))


def party_identifiers(party: Part) -> Iterator[Identifier]:
    """Give the identifiers of a party, those without a scheme first."""
    for path in ("ram:ID", "ram:GlobalID"):
        for found in party.all(path):
            if text := found.value:
                yield Identifier(id=text, scheme=found.attribute("schemeID"))


def party_identifier(party: Part) -> Identifier | None:
    """Return the identifier of a party that has one."""
    return next(party_identifiers(party), None)


def allowance_charges(part: Part, *, charges: bool) -> Iterator[tuple[Part, Adjustment]]:
    """Give the allowances or the charges, each with its element."""
    for found in part.all("ram:SpecifiedTradeAllowanceCharge"):
        indicator = found.need_code("ram:ChargeIndicator/udt:Indicator")
        if (indicator in {"true", "1"}) == charges:
            yield (
                found,
                Adjustment(
                    amount=found.need_number("ram:ActualAmount"),
                    percent=found.number("ram:CalculationPercent"),
                    base_amount=found.number("ram:BasisAmount"),
                    reason=found.text("ram:Reason"),
                    reason_code=found.code("ram:ReasonCode"),
                ),
            )


def trade_tax(part: Part, path: str) -> Vat:
    """Return the VAT of a line, an allowance or a charge."""
    tax = part.need(path)
    tax.pass_over("ram:TypeCode")
    return Vat(
        category=tax.need_code("ram:CategoryCode"),
        rate=tax.number("ram:RateApplicablePercent"),
    )


def tax_number(party: Part, scheme: str) -> str | None:
    """Return the number that a party has in a scheme of taxes."""
    for found in party.all("ram:SpecifiedTaxRegistration/ram:ID"):
        if found.attribute("schemeID") == scheme:
            return found.value
    return None
