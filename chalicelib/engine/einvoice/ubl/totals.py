"""VAT and document totals, as UBL."""

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.totals import Totals, VatBreakdown
from chalicelib.engine.einvoice.ubl.values import money, tax_scheme
from chalicelib.engine.einvoice.xmlwrite import Node, group, leaf, rate


def tax_totals(invoice: Invoice, totals: Totals) -> tuple[Node | None, ...]:
    """Return BG-23 and BT-110; then BT-111, in the currency of the tax."""
    return (
        group(
            "cac:TaxTotal",
            money("cbc:TaxAmount", totals.tax_total, invoice.currency),
            *(_subtotal(part, invoice.currency) for part in totals.vat_breakdown),
        ),
        group(
            "cac:TaxTotal",
            money("cbc:TaxAmount", invoice.tax_total_in_tax_currency, invoice.tax_currency),
        ),
    )


def monetary_total(invoice: Invoice, totals: Totals) -> Node | None:
    """Return BG-22."""
    currency = invoice.currency
    allowances = totals.allowance_total if invoice.allowances else None
    charges = totals.charge_total if invoice.charges else None
    return group(
        "cac:LegalMonetaryTotal",
        money("cbc:LineExtensionAmount", totals.line_total, currency),
        money("cbc:TaxExclusiveAmount", totals.tax_basis_total, currency),
        money("cbc:TaxInclusiveAmount", totals.grand_total, currency),
        money("cbc:AllowanceTotalAmount", allowances, currency),
        money("cbc:ChargeTotalAmount", charges, currency),
        money("cbc:PrepaidAmount", invoice.prepaid_amount, currency),
        money("cbc:PayableRoundingAmount", invoice.rounding_amount, currency),
        money("cbc:PayableAmount", totals.due_amount, currency),
    )


def _subtotal(part: VatBreakdown, currency: str) -> Node | None:
    return group(
        "cac:TaxSubtotal",
        money("cbc:TaxableAmount", part.taxable_amount, currency),
        money("cbc:TaxAmount", part.tax_amount, currency),
        group(
            "cac:TaxCategory",
            leaf("cbc:ID", part.category),
            # Also for category O, which has none elsewhere: XRechnung BR-DE-14.
            leaf("cbc:Percent", rate(part.rate) or "0"),
            leaf("cbc:TaxExemptionReasonCode", part.exemption_reason_code),
            leaf("cbc:TaxExemptionReason", part.exemption_reason),
            tax_scheme(),
        ),
    )
