"""Currency, payment, VAT and totals, as CII."""

from types import MappingProxyType
from typing import Final

from chalicelib.engine.einvoice.cii.parties import payee_party
from chalicelib.engine.einvoice.cii.payment import creditor_id, mandate_reference, payment_means
from chalicelib.engine.einvoice.cii.values import (
    allowance_charge,
    billing_period,
    formatted_moment,
    moment,
    trade_tax,
)
from chalicelib.engine.einvoice.model import DocumentAdjustment, Invoice
from chalicelib.engine.einvoice.totals import Totals, VatBreakdown
from chalicelib.engine.einvoice.xmlwrite import (
    Node,
    amount,
    compact_day,
    group,
    leaf,
    payment_terms,
    rate,
)

# UNTDID 2005, which the model uses, to UNTDID 2475, which CII uses.
TAX_POINT_CODES: Final = MappingProxyType({"3": "5", "35": "29", "432": "72"})


def settlement(invoice: Invoice, totals: Totals) -> Node | None:
    """Return the settlement of the whole invoice."""
    payment = invoice.payment
    return group(
        "ram:ApplicableHeaderTradeSettlement",
        leaf("ram:CreditorReferenceID", creditor_id(payment)),
        leaf("ram:PaymentReference", payment.reference if payment else None),
        leaf("ram:TaxCurrencyCode", invoice.tax_currency),
        leaf("ram:InvoiceCurrencyCode", invoice.currency),
        payee_party(invoice.payee),
        *payment_means(payment),
        *_vat_breakdown(invoice, totals),
        billing_period(invoice.invoice_period),
        *(_document_adjustment(part, charge=False) for part in invoice.allowances),
        *(_document_adjustment(part, charge=True) for part in invoice.charges),
        group(
            "ram:SpecifiedTradePaymentTerms",
            leaf("ram:Description", payment_terms(invoice)),
            moment("ram:DueDateDateTime", invoice.due_date),
            leaf("ram:DirectDebitMandateID", mandate_reference(payment)),
        ),
        _summation(invoice, totals),
        *_preceding_invoices(invoice),
        group(
            "ram:ReceivableSpecifiedTradeAccountingAccount",
            leaf("ram:ID", invoice.buyer_accounting_reference),
        ),
    )


def _vat_breakdown(invoice: Invoice, totals: Totals) -> tuple[Node | None, ...]:
    return tuple(
        _breakdown(part, invoice if position == 0 else None)
        for position, part in enumerate(totals.vat_breakdown)
    )


def _breakdown(part: VatBreakdown, invoice: Invoice | None) -> Node | None:
    """Return BG-23; the tax point stands once (CII-SR-461, -462), in the first part."""
    tax_point = invoice.tax_point_date if invoice else None
    code = TAX_POINT_CODES.get(invoice.tax_point_date_code or "") if invoice else None
    return group(
        "ram:ApplicableTradeTax",
        leaf("ram:CalculatedAmount", amount(part.tax_amount)),
        leaf("ram:TypeCode", "VAT"),
        leaf("ram:ExemptionReason", part.exemption_reason),
        leaf("ram:BasisAmount", amount(part.taxable_amount)),
        leaf("ram:CategoryCode", part.category),
        leaf("ram:ExemptionReasonCode", part.exemption_reason_code),
        group("ram:TaxPointDate", leaf("udt:DateString", compact_day(tax_point), format="102")),
        leaf("ram:DueDateTypeCode", code),
        # Also for category O, which has none elsewhere: XRechnung BR-DE-14.
        leaf("ram:RateApplicablePercent", rate(part.rate) or "0"),
    )


def _document_adjustment(part: DocumentAdjustment, *, charge: bool) -> Node | None:
    return allowance_charge(
        part, charge=charge, category=trade_tax("ram:CategoryTradeTax", part.vat)
    )


def _summation(invoice: Invoice, totals: Totals) -> Node | None:
    return group(
        "ram:SpecifiedTradeSettlementHeaderMonetarySummation",
        leaf("ram:LineTotalAmount", amount(totals.line_total)),
        leaf("ram:ChargeTotalAmount", amount(totals.charge_total) if invoice.charges else None),
        leaf(
            "ram:AllowanceTotalAmount",
            amount(totals.allowance_total) if invoice.allowances else None,
        ),
        leaf("ram:TaxBasisTotalAmount", amount(totals.tax_basis_total)),
        leaf("ram:TaxTotalAmount", amount(totals.tax_total), currencyID=invoice.currency),
        leaf(
            "ram:TaxTotalAmount",
            amount(invoice.tax_total_in_tax_currency),
            currencyID=invoice.tax_currency,
        ),
        leaf("ram:RoundingAmount", amount(invoice.rounding_amount)),
        leaf("ram:GrandTotalAmount", amount(totals.grand_total)),
        leaf("ram:TotalPrepaidAmount", amount(invoice.prepaid_amount)),
        leaf("ram:DuePayableAmount", amount(totals.due_amount)),
    )


def _preceding_invoices(invoice: Invoice) -> tuple[Node | None, ...]:
    return tuple(
        group(
            "ram:InvoiceReferencedDocument",
            leaf("ram:IssuerAssignedID", preceding.number),
            formatted_moment("ram:FormattedIssueDateTime", preceding.issue_date),
        )
        for preceding in invoice.preceding_invoices
    )
