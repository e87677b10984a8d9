"""UBL value reader: identifiers, periods, VAT, allowances and charges."""

from collections.abc import Iterator

from chalicelib.engine.einvoice.model import Adjustment, Identifier, Period, Vat
from chalicelib.engine.einvoice.xml_reader import ElementReader


def identifier(element: ElementReader, path: str) -> Identifier | None:
    """Return the identifier at a path with its scheme."""
    part = element.find(path)
    return element_identifier(part) if part else None


def element_identifier(element: ElementReader) -> Identifier | None:
    """Return the identifier that is the text of the element."""
    text = element.own_text
    return Identifier(id=text, scheme=element.attribute("schemeID")) if text else None


def invoice_period(element: ElementReader) -> Period | None:
    """Return the period of an invoice or a line (BG-14, BG-26)."""
    period = Period(
        start=element.iso_date("cac:InvoicePeriod/cbc:StartDate"),
        end=element.iso_date("cac:InvoicePeriod/cbc:EndDate"),
    )
    return None if period == Period() else period


def tax_category(element: ElementReader, path: str) -> Vat:
    """Return the VAT of a line, an allowance or a charge."""
    category = element.require(path)
    category.mark_read("cac:TaxScheme/cbc:ID")
    return Vat(category=category.require_code("cbc:ID"), rate=category.number("cbc:Percent"))


def allowance_charges(
    element: ElementReader, *, charges: bool
) -> Iterator[tuple[ElementReader, Adjustment]]:
    """Yield the allowances or the charges, each with its element."""
    for part in element.find_all("cac:AllowanceCharge"):
        if (part.require_code("cbc:ChargeIndicator") in {"true", "1"}) == charges:
            yield (
                part,
                Adjustment(
                    amount=part.require_number("cbc:Amount"),
                    percent=part.number("cbc:MultiplierFactorNumeric"),
                    base_amount=part.number("cbc:BaseAmount"),
                    reason=part.text("cbc:AllowanceChargeReason"),
                    reason_code=part.code("cbc:AllowanceChargeReasonCode"),
                ),
            )
