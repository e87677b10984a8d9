"""VAT exemptions and the total of the tax currency, read from UBL."""

from collections.abc import Mapping
from decimal import Decimal

from chalicelib.engine.einvoice.model import VatExemption
from chalicelib.engine.einvoice.xmlread import Part


def vat_exemptions(root: Part) -> Mapping[str, VatExemption]:
    """Return the reasons by category; another reason for the same category stays unread."""
    exemptions: dict[str, VatExemption] = {}
    for subtotal in root.all("cac:TaxTotal/cac:TaxSubtotal"):
        subtotal.pass_over("cbc:TaxableAmount", "cbc:TaxAmount")
        category = subtotal.need("cac:TaxCategory")
        category.pass_over("cbc:Percent", "cac:TaxScheme/cbc:ID")
        code = category.need_code("cbc:ID")
        known = exemptions.get(code)
        if known:
            category.confirm("cbc:TaxExemptionReason", known.reason)
            category.confirm("cbc:TaxExemptionReasonCode", known.reason_code)
            continue
        found = VatExemption(
            reason=category.text("cbc:TaxExemptionReason"),
            reason_code=category.code("cbc:TaxExemptionReasonCode"),
        )
        if found != VatExemption():
            exemptions[code] = found
    return exemptions


def tax_total(root: Part, currency: str, tax_currency: str | None) -> Decimal | None:
    """Return BT-111; BT-110 follows from the lines."""
    total = None
    for found in root.all("cac:TaxTotal/cbc:TaxAmount"):
        own = found.attribute("currencyID")
        if own in {currency, None}:
            found.ignore()
        elif own == tax_currency and total is None:
            total = found.own_number()
    return total


def pass_over_derived(root: Part) -> None:
    """Count what follows from the lines as read."""
    totals = root.need("cac:LegalMonetaryTotal")
    totals.pass_over(
        "cbc:LineExtensionAmount",
        "cbc:TaxExclusiveAmount",
        "cbc:TaxInclusiveAmount",
        "cbc:AllowanceTotalAmount",
        "cbc:ChargeTotalAmount",
        "cbc:PayableAmount",
    )
    root.pass_over("cbc:CustomizationID", "cbc:UBLVersionID", "cbc:LineCountNumeric")
