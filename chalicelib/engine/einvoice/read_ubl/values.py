"""What recurs in UBL, read: identifiers, periods, allowances and charges."""

from collections.abc import Iterator

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.xmlread import Part


def identifier(part: Part, path: str) -> Identifier | None:
    """Return an identifier with its scheme."""
    found = part.one(path)
    return own_identifier(found) if found else None


def own_identifier(part: Part) -> Identifier | None:
    """Return the identifier that the element itself is."""
    text = part.value
    return Identifier(id=text, scheme=part.attribute("schemeID")) if text else None


def invoice_period(part: Part) -> Period | None:
    """Return a period of an invoice or a line."""
    found = Period(
        start=part.day("cac:InvoicePeriod/cbc:StartDate"),
        end=part.day("cac:InvoicePeriod/cbc:EndDate"),
    )
    return None if found == Period() else found


def tax_category(part: Part, path: str) -> Vat:
    """Return the VAT of a line, an allowance or a charge."""
    category = part.need(path)
    category.pass_over("cac:TaxScheme/cbc:ID")
    return Vat(category=category.need_code("cbc:ID"), rate=category.number("cbc:Percent"))


def allowance_charges(part: Part, *, charges: bool) -> Iterator[tuple[Part, Adjustment]]:
    """Give the allowances or the charges, each with its element."""
    for found in part.all("cac:AllowanceCharge"):
        if (found.need_code("cbc:ChargeIndicator") in {"true", "1"}) == charges:
            yield (
                found,
                Adjustment(
                    amount=found.need_number("cbc:Amount"),
                    percent=found.number("cbc:MultiplierFactorNumeric"),
                    base_amount=found.number("cbc:BaseAmount"),
                    reason=found.text("cbc:AllowanceChargeReason"),
                    reason_code=found.code("cbc:AllowanceChargeReasonCode"),
                ),
            )
