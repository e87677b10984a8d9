"""What recurs in UBL, read: identifiers, periods, allowances and charges."""

from collections.abc import Iterator

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.xml_reader import ElementReader


def identifier(element: ElementReader, path: str) -> Identifier | None:
    """Return an identifier with its scheme."""
    found = element.find(path)
    return element_identifier(found) if found else None


def element_identifier(element: ElementReader) -> Identifier | None:
    """Return the identifier that the element itself is."""
    text = element.own_text
    return Identifier(id=text, scheme=element.attribute("schemeID")) if text else None


def invoice_period(element: ElementReader) -> Period | None:
    """Return a period of an invoice or a line."""
    found = Period(
        start=element.iso_date("cac:InvoicePeriod/cbc:StartDate"),
        end=element.iso_date("cac:InvoicePeriod/cbc:EndDate"),
    )
    return None if found == Period() else found


def tax_category(element: ElementReader, path: str) -> Vat:
    """Return the VAT of a line, an allowance or a charge."""
    category = element.require(path)
    category.mark_read("cac:TaxScheme/cbc:ID")
    return Vat(category=category.require_code("cbc:ID"), rate=category.number("cbc:Percent"))


def allowance_charges(
    element: ElementReader, *, charges: bool
) -> Iterator[tuple[ElementReader, Adjustment]]:
    """Give the allowances or the charges, each with its element."""
    for found in element.find_all("cac:AllowanceCharge"):
        if (found.require_code("cbc:ChargeIndicator") in {"true", "1"}) == charges:
            yield (
                found,
                Adjustment(
                    amount=found.require_number("cbc:Amount"),
                    percent=found.number("cbc:MultiplierFactorNumeric"),
                    base_amount=found.number("cbc:BaseAmount"),
                    reason=found.text("cbc:AllowanceChargeReason"),
                    reason_code=found.code("cbc:AllowanceChargeReasonCode"),
                ),
            )
