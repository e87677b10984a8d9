"""CII document reader."""

from decimal import Decimal

from chalicelib.engine.einvoice.model import (
    DocumentAdjustment,
    Invoice,
    InvoiceNote,
    PrecedingInvoice,
    SupportingDocument,
)
from chalicelib.engine.einvoice.read_cii.lines import invoice_line, object_identifier
from chalicelib.engine.einvoice.read_cii.parties import (
    buyer,
    delivery,
    payee,
    seller,
    tax_representative,
)
from chalicelib.engine.einvoice.read_cii.settlement import (
    payment,
    tax_point_code,
    tax_point_date,
    vat_exemptions,
)
from chalicelib.engine.einvoice.read_cii.values import (
    allowance_charges,
    billing_period,
    read_date,
    require_date,
    trade_tax,
)
from chalicelib.engine.einvoice.xml_reader import ElementReader, embedded_file

# Document type codes of UNTDID 1001.
_SUPPORTING_DOCUMENT_CODE = "916"
_TENDER_CODE = "50"
_LINE_PATH = "ram:IncludedSupplyChainTradeLineItem"


def read_cii(root: ElementReader) -> Invoice:
    """Return the invoice; raise UnreadableInvoiceError if a required value is absent."""
    header = root.require("rsm:ExchangedDocument")
    transaction = root.require("rsm:SupplyChainTradeTransaction")
    agreement = transaction.require("ram:ApplicableHeaderTradeAgreement")
    delivered = transaction.require("ram:ApplicableHeaderTradeDelivery")
    settlement = transaction.require("ram:ApplicableHeaderTradeSettlement")
    summation = settlement.require("ram:SpecifiedTradeSettlementHeaderMonetarySummation")
    _mark_derived_read(root, agreement, summation)
    tax_currency = settlement.code("ram:TaxCurrencyCode")
    currency = settlement.require_code("ram:InvoiceCurrencyCode")
    terms = "ram:SpecifiedTradePaymentTerms"
    return Invoice(
        number=header.require_text("ram:ID"),
        issue_date=require_date(header, "ram:IssueDateTime"),
        type_code=header.require_code("ram:TypeCode"),
        notes=_notes(header),
        process_id=root.text(
            "rsm:ExchangedDocumentContext/"
            "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"
        ),
        currency=currency,
        tax_currency=tax_currency,
        tax_total_in_tax_currency=_tax_total(summation, currency, tax_currency),
        prepaid_amount=summation.number("ram:TotalPrepaidAmount"),
        rounding_amount=summation.number("ram:RoundingAmount"),
        due_date=read_date(settlement, f"{terms}/ram:DueDateDateTime"),
        payment_terms=settlement.text(f"{terms}/ram:Description"),
        tax_point_date=tax_point_date(settlement),
        tax_point_date_code=tax_point_code(settlement),
        vat_exemptions=vat_exemptions(settlement),
        invoice_period=billing_period(settlement),
        preceding_invoices=_preceding_invoices(settlement),
        buyer_accounting_reference=settlement.text(
            "ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID"
        ),
        allowances=_adjustments(settlement, charges=False),
        charges=_adjustments(settlement, charges=True),
        payee=payee(settlement.find("ram:PayeeTradeParty")),
        payment=payment(settlement),
        buyer_reference=agreement.text("ram:BuyerReference"),
        contract_reference=_reference(agreement, "ram:ContractReferencedDocument"),
        order_reference=_reference(agreement, "ram:BuyerOrderReferencedDocument"),
        sales_order_reference=_reference(agreement, "ram:SellerOrderReferencedDocument"),
        project_reference=agreement.text("ram:SpecifiedProcuringProject/ram:ID"),
        tender_reference=_tender(agreement),
        invoiced_object=object_identifier(agreement),
        supporting_documents=_supporting_documents(agreement),
        seller=seller(agreement.require("ram:SellerTradeParty")),
        buyer=buyer(agreement.require("ram:BuyerTradeParty")),
        tax_representative=tax_representative(
            agreement.find("ram:SellerTaxRepresentativeTradeParty")
        ),
        delivery=delivery(delivered),
        despatch_advice_reference=_reference(delivered, "ram:DespatchAdviceReferencedDocument"),
        receiving_advice_reference=_reference(delivered, "ram:ReceivingAdviceReferencedDocument"),
        lines=tuple(map(invoice_line, transaction.find_all(_LINE_PATH)))
        or transaction.raise_missing(_LINE_PATH),
    )


def _mark_derived_read(
    root: ElementReader, agreement: ElementReader, summation: ElementReader
) -> None:
    """Mark as read the elements that the model computes from the lines or from the profile."""
    root.mark_read(
        "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"
    )
    agreement.mark_read("ram:SpecifiedProcuringProject/ram:Name")
    summation.mark_read(
        "ram:LineTotalAmount",
        "ram:ChargeTotalAmount",
        "ram:AllowanceTotalAmount",
        "ram:TaxBasisTotalAmount",
        "ram:GrandTotalAmount",
        "ram:DuePayableAmount",
    )


def _notes(header: ElementReader) -> tuple[InvoiceNote, ...]:
    return tuple(
        InvoiceNote(text=text, subject_code=note.code("ram:SubjectCode"))
        for note in header.find_all("ram:IncludedNote")
        if (text := note.text("ram:Content"))
    )


def _reference(element: ElementReader, name: str) -> str | None:
    return element.text(f"{name}/ram:IssuerAssignedID")


def _preceding_invoices(settlement: ElementReader) -> tuple[PrecedingInvoice, ...]:
    return tuple(
        PrecedingInvoice(
            number=document.require_text("ram:IssuerAssignedID"),
            issue_date=read_date(document, "ram:FormattedIssueDateTime", "qdt:DateTimeString"),
        )
        for document in settlement.find_all("ram:InvoiceReferencedDocument")
    )


def _adjustments(settlement: ElementReader, *, charges: bool) -> tuple[DocumentAdjustment, ...]:
    return tuple(
        DocumentAdjustment(
            amount=each.amount,
            percent=each.percent,
            base_amount=each.base_amount,
            reason=each.reason,
            reason_code=each.reason_code,
            vat=trade_tax(part, "ram:CategoryTradeTax"),
        )
        for part, each in allowance_charges(settlement, charges=charges)
    )


def _supporting_documents(agreement: ElementReader) -> tuple[SupportingDocument, ...]:
    return tuple(
        SupportingDocument(
            id=document.require_text("ram:IssuerAssignedID"),
            description=document.text("ram:Name"),
            url=document.text("ram:URIID"),
            **embedded_file(document.find("ram:AttachmentBinaryObject")),
        )
        for document in agreement.find_all("ram:AdditionalReferencedDocument")
        if document.has_code("ram:TypeCode", _SUPPORTING_DOCUMENT_CODE)
    )


def _tender(agreement: ElementReader) -> str | None:
    for document in agreement.find_all("ram:AdditionalReferencedDocument"):
        if document.has_code("ram:TypeCode", _TENDER_CODE):
            return document.text("ram:IssuerAssignedID")
    return None


def _tax_total(summation: ElementReader, currency: str, tax_currency: str | None) -> Decimal | None:
    """Return the VAT total in the tax currency (BT-111); BT-110 is computed."""
    total = None
    for amount in summation.find_all("ram:TaxTotalAmount"):
        amount_currency = amount.attribute("currencyID")
        if amount_currency in {currency, None}:
            amount.mark_subtree_read()
        elif amount_currency == tax_currency and total is None:
            total = amount.own_number()
    return total
