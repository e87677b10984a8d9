"""VAT exemptions and the tax point, which CII keeps in the breakdown."""

import datetime as dt
from collections.abc import Mapping

from chalicelib.engine.einvoice.cii.settlement import TAX_POINT_CODES
from chalicelib.engine.einvoice.model import VatExemption
from chalicelib.engine.einvoice.read_cii.values import moment
from chalicelib.engine.einvoice.xmlread import Part

_MODEL_CODES = {code: ours for ours, code in TAX_POINT_CODES.items()}


def vat_exemptions(settlement: Part) -> Mapping[str, VatExemption]:
    """Return the reasons by category; another reason for the same category stays unread."""
    exemptions: dict[str, VatExemption] = {}
    for tax in settlement.all("ram:ApplicableTradeTax"):
        tax.pass_over(
            "ram:CalculatedAmount", "ram:TypeCode", "ram:BasisAmount", "ram:RateApplicablePercent"
        )
        category = tax.need_code("ram:CategoryCode")
        known = exemptions.get(category)
        if known:
            tax.confirm("ram:ExemptionReason", known.reason)
            tax.confirm("ram:ExemptionReasonCode", known.reason_code)
            continue
        found = VatExemption(
            reason=tax.text("ram:ExemptionReason"), reason_code=tax.code("ram:ExemptionReasonCode")
        )
        if found != VatExemption():
            exemptions[category] = found
    return exemptions


def tax_point_date(settlement: Part) -> dt.date | None:
    """Return BT-7."""
    return moment(settlement, "ram:ApplicableTradeTax/ram:TaxPointDate", "udt:DateString")


def tax_point_code(settlement: Part) -> str | None:
    """Return BT-8 as the model has it; a code that EN 16931 does not have stays unread."""
    for found in settlement.all("ram:ApplicableTradeTax/ram:DueDateTypeCode"):
        code = _MODEL_CODES.get((found.element.text or "").strip())
        if code:
            settlement.pass_over("ram:ApplicableTradeTax/ram:DueDateTypeCode")
            return code
    return None
