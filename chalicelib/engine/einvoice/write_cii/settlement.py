"""CII trade settlement: currency, payment, VAT and totals."""

import re
from types import MappingProxyType
from typing import Final

from chalicelib.engine.einvoice.model import (
    CreditTransfer,
    DocumentAdjustment,
    Invoice,
    PaymentInstructions,
)
from chalicelib.engine.einvoice.totals import InvoiceTotals, VatBreakdown
from chalicelib.engine.einvoice.write_cii.parties import payee_party
from chalicelib.engine.einvoice.write_cii.values import (
    allowance_charge,
    billing_period,
    date_time,
    formatted_date_time,
    trade_tax,
)
from chalicelib.engine.einvoice.xml_writer import (
    XmlNode,
    format_amount,
    format_date_102,
    format_rate,
    group,
    leaf,
    payment_terms_text,
)

# VAT point date codes (BT-8): UNTDID 2005 of the model to UNTDID 2475 of CII.
CII_TAX_POINT_CODES: Final = MappingProxyType({"3": "5", "35": "29", "432": "72"})
# ISO 13616. Other account numbers have another element in CII.
_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}")


def settlement(invoice: Invoice, totals: InvoiceTotals) -> XmlNode | None:
    """Return the header settlement."""
    payment = invoice.payment
    return group(
        "ram:ApplicableHeaderTradeSettlement",
        leaf("ram:CreditorReferenceID", creditor_id(payment)),
        leaf("ram:PaymentReference", payment.remittance_information if payment else None),
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
            leaf("ram:Description", payment_terms_text(invoice)),
            date_time("ram:DueDateDateTime", invoice.due_date),
            leaf("ram:DirectDebitMandateID", mandate_reference(payment)),
        ),
        _summation(invoice, totals),
        *_preceding_invoices(invoice),
        group(
            "ram:ReceivableSpecifiedTradeAccountingAccount",
            leaf("ram:ID", invoice.buyer_accounting_reference),
        ),
    )


def creditor_id(payment: PaymentInstructions | None) -> str | None:
    """Return the creditor identifier (BT-90)."""
    return payment.direct_debit.creditor_id if payment and payment.direct_debit else None


def mandate_reference(payment: PaymentInstructions | None) -> str | None:
    """Return the mandate reference (BT-89)."""
    return payment.direct_debit.mandate_reference if payment and payment.direct_debit else None


def payment_means(payment: PaymentInstructions | None) -> tuple[XmlNode | None, ...]:
    """Return BG-16: one element for each account; the first also has the card and the debit."""
    if payment is None:
        return ()
    first, *others = payment.credit_transfers or (None,)
    return (
        _payment_means(payment, first, _card(payment), _debited_account(payment)),
        *(_payment_means(payment, transfer) for transfer in others),
    )


def _vat_breakdown(invoice: Invoice, totals: InvoiceTotals) -> tuple[XmlNode | None, ...]:
    return tuple(
        _trade_tax_group(part, invoice if position == 0 else None)
        for position, part in enumerate(totals.vat_breakdown)
    )


def _trade_tax_group(breakdown: VatBreakdown, invoice: Invoice | None) -> XmlNode | None:
    """Return BG-23; the tax point may occur only once (CII-SR-461, CII-SR-462).

    `invoice` is given for the first group alone, which carries the tax point.
    """
    tax_point = invoice.tax_point_date if invoice else None
    code = CII_TAX_POINT_CODES.get(invoice.tax_point_date_code or "") if invoice else None
    return group(
        "ram:ApplicableTradeTax",
        leaf("ram:CalculatedAmount", format_amount(breakdown.tax_amount)),
        leaf("ram:TypeCode", "VAT"),
        leaf("ram:ExemptionReason", breakdown.exemption_reason),
        leaf("ram:BasisAmount", format_amount(breakdown.taxable_amount)),
        leaf("ram:CategoryCode", breakdown.category),
        leaf("ram:ExemptionReasonCode", breakdown.exemption_reason_code),
        group("ram:TaxPointDate", leaf("udt:DateString", format_date_102(tax_point), format="102")),
        leaf("ram:DueDateTypeCode", code),
        # XRechnung BR-DE-14 demands a rate here also for category O, which has none elsewhere.
        leaf("ram:RateApplicablePercent", format_rate(breakdown.rate) or "0"),
    )


def _document_adjustment(adjustment: DocumentAdjustment, *, charge: bool) -> XmlNode | None:
    return allowance_charge(
        adjustment, charge=charge, category=trade_tax("ram:CategoryTradeTax", adjustment.vat)
    )


def _summation(invoice: Invoice, totals: InvoiceTotals) -> XmlNode | None:
    return group(
        "ram:SpecifiedTradeSettlementHeaderMonetarySummation",
        leaf("ram:LineTotalAmount", format_amount(totals.line_total)),
        leaf(
            "ram:ChargeTotalAmount", format_amount(totals.charge_total) if invoice.charges else None
        ),
        leaf(
            "ram:AllowanceTotalAmount",
            format_amount(totals.allowance_total) if invoice.allowances else None,
        ),
        leaf("ram:TaxBasisTotalAmount", format_amount(totals.tax_basis_total)),
        leaf("ram:TaxTotalAmount", format_amount(totals.tax_total), currencyID=invoice.currency),
        leaf(
            "ram:TaxTotalAmount",
            format_amount(invoice.tax_total_in_tax_currency),
            currencyID=invoice.tax_currency,
        ),
        leaf("ram:RoundingAmount", format_amount(invoice.rounding_amount)),
        leaf("ram:GrandTotalAmount", format_amount(totals.grand_total)),
        leaf("ram:TotalPrepaidAmount", format_amount(invoice.prepaid_amount)),
        leaf("ram:DuePayableAmount", format_amount(totals.due_amount)),
    )


def _preceding_invoices(invoice: Invoice) -> tuple[XmlNode | None, ...]:
    return tuple(
        group(
            "ram:InvoiceReferencedDocument",
            leaf("ram:IssuerAssignedID", preceding.number),
            formatted_date_time("ram:FormattedIssueDateTime", preceding.issue_date),
        )
        for preceding in invoice.preceding_invoices
    )


def _payment_means(
    payment: PaymentInstructions, transfer: CreditTransfer | None, *first: XmlNode | None
) -> XmlNode | None:
    return group(
        "ram:SpecifiedTradeSettlementPaymentMeans",
        leaf("ram:TypeCode", payment.means_code),
        leaf("ram:Information", payment.means_text),
        *first,
        *(_credit_transfer(transfer) if transfer else ()),
    )


def _card(payment: PaymentInstructions) -> XmlNode | None:
    if payment.card is None:
        return None
    return group(
        "ram:ApplicableTradeSettlementFinancialCard",
        leaf("ram:ID", payment.card.primary_account_number),
        leaf("ram:CardholderName", payment.card.holder_name),
    )


def _debited_account(payment: PaymentInstructions) -> XmlNode | None:
    if payment.direct_debit is None:
        return None
    return group(
        "ram:PayerPartyDebtorFinancialAccount",
        leaf("ram:IBANID", payment.direct_debit.debited_account),
    )


def _credit_transfer(transfer: CreditTransfer) -> tuple[XmlNode | None, ...]:
    is_iban = _IBAN.fullmatch(transfer.account_id)
    return (
        group(
            "ram:PayeePartyCreditorFinancialAccount",
            leaf("ram:IBANID", transfer.account_id) if is_iban else None,
            leaf("ram:AccountName", transfer.account_name),
            None if is_iban else leaf("ram:ProprietaryID", transfer.account_id),
        ),
        group("ram:PayeeSpecifiedCreditorFinancialInstitution", leaf("ram:BICID", transfer.bic)),
    )
