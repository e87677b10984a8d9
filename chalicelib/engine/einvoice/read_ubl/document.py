"""UBL document reader, for an Invoice or a CreditNote."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from chalicelib.engine.einvoice.model import (
    CreditTransfer,
    DeliveryInformation,
    DirectDebit,
    DocumentAdjustment,
    Invoice,
    InvoiceLine,
    InvoiceNote,
    PaymentCard,
    PaymentInstructions,
    VatExemption,
)
from chalicelib.engine.einvoice.read_ubl import references
from chalicelib.engine.einvoice.read_ubl.lines import invoice_line
from chalicelib.engine.einvoice.read_ubl.parties import (
    buyer,
    creditor_id,
    payee,
    postal_address,
    seller,
    tax_representative,
)
from chalicelib.engine.einvoice.read_ubl.values import (
    allowance_charges,
    identifier,
    invoice_period,
    tax_category,
)
from chalicelib.engine.einvoice.xml_reader import ElementReader

# BT-21 stands before the text of BT-22, between number signs.
_SUBJECT_CODE: Final = re.compile(r"#([A-Z0-9]{3})#(.*)", re.DOTALL)
_MEANS_CODE_PATH = "cbc:PaymentMeansCode"


def read_ubl(root: ElementReader) -> Invoice:
    """Return the invoice; raise UnreadableInvoiceError if a required value is absent."""
    mark_derived_read(root)
    is_credit_note = root.find("cbc:CreditNoteTypeCode") is not None
    currency = root.require_code("cbc:DocumentCurrencyCode")
    tax_currency = root.code("cbc:TaxCurrencyCode")
    supplier = root.require("cac:AccountingSupplierParty/cac:Party")
    payee_party = root.find("cac:PayeeParty")
    instructions = payment(root, supplier, payee_party)
    return Invoice(
        number=root.require_text("cbc:ID"),
        issue_date=root.require_iso_date("cbc:IssueDate"),
        due_date=_due_date(root),
        type_code=root.require_code(
            "cbc:CreditNoteTypeCode" if is_credit_note else "cbc:InvoiceTypeCode"
        ),
        notes=tuple(_note(text) for note in root.find_all("cbc:Note") if (text := note.own_text)),
        process_id=root.text("cbc:ProfileID"),
        currency=currency,
        tax_currency=tax_currency,
        tax_total_in_tax_currency=tax_total(root, currency, tax_currency),
        prepaid_amount=root.number("cac:LegalMonetaryTotal/cbc:PrepaidAmount"),
        rounding_amount=root.number("cac:LegalMonetaryTotal/cbc:PayableRoundingAmount"),
        payment_terms=root.text("cac:PaymentTerms/cbc:Note"),
        tax_point_date=root.iso_date("cbc:TaxPointDate"),
        tax_point_date_code=root.code("cac:InvoicePeriod/cbc:DescriptionCode"),
        vat_exemptions=vat_exemptions(root),
        invoice_period=invoice_period(root),
        preceding_invoices=references.preceding_invoices(root),
        buyer_accounting_reference=root.text("cbc:AccountingCost"),
        allowances=_adjustments(root, charges=False),
        charges=_adjustments(root, charges=True),
        payee=payee(payee_party, exclude_creditor_id=instructions is not None),
        payment=instructions,
        buyer_reference=root.text("cbc:BuyerReference"),
        contract_reference=root.text("cac:ContractDocumentReference/cbc:ID"),
        order_reference=references.order_reference(root),
        sales_order_reference=root.text("cac:OrderReference/cbc:SalesOrderID"),
        project_reference=references.project_reference(root),
        tender_reference=root.text("cac:OriginatorDocumentReference/cbc:ID"),
        invoiced_object=references.invoiced_object(root),
        supporting_documents=references.supporting_documents(root),
        seller=seller(supplier, exclude_creditor_id=instructions is not None),
        buyer=buyer(root.require("cac:AccountingCustomerParty/cac:Party")),
        tax_representative=tax_representative(root.find("cac:TaxRepresentativeParty")),
        delivery=_delivery(root),
        despatch_advice_reference=root.text("cac:DespatchDocumentReference/cbc:ID"),
        receiving_advice_reference=root.text("cac:ReceiptDocumentReference/cbc:ID"),
        lines=_lines(root, is_credit_note=is_credit_note),
    )


def mark_derived_read(root: ElementReader) -> None:
    """Mark as read the elements that the model computes from the lines or from the profile."""
    totals = root.require("cac:LegalMonetaryTotal")
    totals.mark_read(
        "cbc:LineExtensionAmount",
        "cbc:TaxExclusiveAmount",
        "cbc:TaxInclusiveAmount",
        "cbc:AllowanceTotalAmount",
        "cbc:ChargeTotalAmount",
        "cbc:PayableAmount",
    )
    root.mark_read("cbc:CustomizationID", "cbc:UBLVersionID", "cbc:LineCountNumeric")


def vat_exemptions(root: ElementReader) -> Mapping[str, VatExemption]:
    """Return the exemption reasons by category; a second, different one stays unread."""
    exemptions: dict[str, VatExemption] = {}
    for subtotal in root.find_all("cac:TaxTotal/cac:TaxSubtotal"):
        subtotal.mark_read("cbc:TaxableAmount", "cbc:TaxAmount")
        category = subtotal.require("cac:TaxCategory")
        category.mark_read("cbc:Percent", "cac:TaxScheme/cbc:ID")
        code = category.require_code("cbc:ID")
        known = exemptions.get(code)
        if known:
            category.mark_read_if_equal("cbc:TaxExemptionReason", known.reason)
            category.mark_read_if_equal("cbc:TaxExemptionReasonCode", known.reason_code)
            continue
        exemption = VatExemption(
            reason=category.text("cbc:TaxExemptionReason"),
            reason_code=category.code("cbc:TaxExemptionReasonCode"),
        )
        if exemption != VatExemption():
            exemptions[code] = exemption
    return exemptions


def tax_total(root: ElementReader, currency: str, tax_currency: str | None) -> Decimal | None:
    """Return the VAT total in the tax currency (BT-111); BT-110 is computed."""
    total = None
    for amount in root.find_all("cac:TaxTotal/cbc:TaxAmount"):
        amount_currency = amount.attribute("currencyID")
        if amount_currency in {currency, None}:
            amount.mark_subtree_read()
        elif amount_currency == tax_currency and total is None:
            total = amount.own_number()
    return total


def payment(root: ElementReader, *parties: ElementReader | None) -> PaymentInstructions | None:
    """Return BG-16; payment means with another code than the first stay unread.

    `parties` are those that may have the creditor identifier (BT-90).
    """
    all_means = list(root.find_all("cac:PaymentMeans"))
    if not all_means:
        return None
    first = all_means[0]
    code = first.require_code(_MEANS_CODE_PATH)
    remittance_information = first.text("cbc:PaymentID")
    same_code = [
        first,
        *(means for means in all_means[1:] if means.has_code(_MEANS_CODE_PATH, code)),
    ]
    for means in same_code[1:]:
        means.mark_read_if_equal("cbc:PaymentID", remittance_information)
    return PaymentInstructions(
        means_code=code,
        means_text=first.require(_MEANS_CODE_PATH).attribute("name"),
        remittance_information=remittance_information,
        credit_transfers=tuple(_credit_transfers(same_code)),
        card=_card(first),
        direct_debit=_direct_debit(first, creditor_id(*parties)),
    )


def _due_date(root: ElementReader) -> dt.date | None:
    """Return the due date (BT-9), which a credit note has in the payment means."""
    return root.iso_date("cbc:DueDate") or root.iso_date("cac:PaymentMeans/cbc:PaymentDueDate")


def _note(text: str) -> InvoiceNote:
    match = _SUBJECT_CODE.fullmatch(text)
    if match and match[2].strip():
        return InvoiceNote(subject_code=match[1], text=match[2])
    return InvoiceNote(text=text)


def _adjustments(root: ElementReader, *, charges: bool) -> tuple[DocumentAdjustment, ...]:
    return tuple(
        DocumentAdjustment(
            amount=each.amount,
            percent=each.percent,
            base_amount=each.base_amount,
            reason=each.reason,
            reason_code=each.reason_code,
            vat=tax_category(part, "cac:TaxCategory"),
        )
        for part, each in allowance_charges(root, charges=charges)
    )


def _delivery(root: ElementReader) -> DeliveryInformation | None:
    part = root.find("cac:Delivery")
    if part is None:
        return None
    return DeliveryInformation(
        party_name=part.text("cac:DeliveryParty/cac:PartyName/cbc:Name"),
        location=identifier(part, "cac:DeliveryLocation/cbc:ID"),
        address=postal_address(part, "cac:DeliveryLocation/cac:Address"),
        date=part.iso_date("cbc:ActualDeliveryDate"),
    )


def _lines(root: ElementReader, *, is_credit_note: bool) -> tuple[InvoiceLine, ...]:
    name = "cac:CreditNoteLine" if is_credit_note else "cac:InvoiceLine"
    quantity = "cbc:CreditedQuantity" if is_credit_note else "cbc:InvoicedQuantity"
    return tuple(
        invoice_line(part, quantity) for part in root.find_all(name)
    ) or root.raise_missing(name)


def _credit_transfers(payment_means: Sequence[ElementReader]) -> Iterator[CreditTransfer]:
    for means in payment_means:
        account = means.find("cac:PayeeFinancialAccount")
        number = account and account.text("cbc:ID")
        if account and number:
            yield CreditTransfer(
                account_id=number,
                account_name=account.text("cbc:Name"),
                bic=account.text("cac:FinancialInstitutionBranch/cbc:ID"),
            )


def _card(means: ElementReader) -> PaymentCard | None:
    card = means.find("cac:CardAccount")
    if card is None:
        return None
    card.mark_read("cbc:NetworkID")
    return PaymentCard(
        primary_account_number=card.require_text("cbc:PrimaryAccountNumberID"),
        holder_name=card.text("cbc:HolderName"),
    )


def _direct_debit(means: ElementReader, creditor: str | None) -> DirectDebit | None:
    debit = DirectDebit(
        mandate_reference=means.text("cac:PaymentMandate/cbc:ID"),
        creditor_id=creditor,
        debited_account=means.text("cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID"),
    )
    return None if debit == DirectDebit() else debit
