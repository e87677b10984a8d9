"""The document, read from CII."""

from decimal import Decimal

from chalicelib.engine.einvoice.model import (
    DocumentAdjustment,
    Invoice,
    Note,
    PrecedingInvoice,
    SupportingDocument,
)
from chalicelib.engine.einvoice.read_cii.lines import line, object_identifier
from chalicelib.engine.einvoice.read_cii.parties import (
    buyer,
    delivery,
    payee,
    seller,
    tax_representative,
)
from chalicelib.engine.einvoice.read_cii.payment import payment
from chalicelib.engine.einvoice.read_cii.values import (
    allowance_charges,
    billing_period,
    moment,
    need_moment,
    trade_tax,
)
from chalicelib.engine.einvoice.read_cii.vat import tax_point_code, tax_point_date, vat_exemptions
from chalicelib.engine.einvoice.xmlread import Part

_SUPPORTING = "916"
_TENDER = "50"
_LINE = "ram:IncludedSupplyChainTradeLineItem"


def read_cii(root: Part) -> Invoice:
    """Return the invoice; raises UnreadableInvoiceError."""
    header = root.need("rsm:ExchangedDocument")
    transaction = root.need("rsm:SupplyChainTradeTransaction")
    agreement = transaction.need("ram:ApplicableHeaderTradeAgreement")
    delivered = transaction.need("ram:ApplicableHeaderTradeDelivery")
    settlement = transaction.need("ram:ApplicableHeaderTradeSettlement")
    summation = settlement.need("ram:SpecifiedTradeSettlementHeaderMonetarySummation")
    _pass_over_derived(root, agreement, summation)
    tax_currency = settlement.code("ram:TaxCurrencyCode")
    currency = settlement.need_code("ram:InvoiceCurrencyCode")
    terms = "ram:SpecifiedTradePaymentTerms"
    return Invoice(
        number=header.need_text("ram:ID"),
        issue_date=need_moment(header, "ram:IssueDateTime"),
        type_code=header.need_code("ram:TypeCode"),
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
        due_date=moment(settlement, f"{terms}/ram:DueDateDateTime"),
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
        payee=payee(settlement.one("ram:PayeeTradeParty")),
        payment=payment(settlement),
        buyer_reference=agreement.text("ram:BuyerReference"),
        contract_reference=_reference(agreement, "ram:ContractReferencedDocument"),
        order_reference=_reference(agreement, "ram:BuyerOrderReferencedDocument"),
        sales_order_reference=_reference(agreement, "ram:SellerOrderReferencedDocument"),
        project_reference=agreement.text("ram:SpecifiedProcuringProject/ram:ID"),
        tender_reference=_tender(agreement),
        invoiced_object=object_identifier(agreement),
        supporting_documents=_supporting_documents(agreement),
        seller=seller(agreement.need("ram:SellerTradeParty")),
        buyer=buyer(agreement.need("ram:BuyerTradeParty")),
        tax_representative=tax_representative(
            agreement.one("ram:SellerTaxRepresentativeTradeParty")
        ),
        delivery=delivery(delivered),
        despatch_advice_reference=_reference(delivered, "ram:DespatchAdviceReferencedDocument"),
        receiving_advice_reference=_reference(delivered, "ram:ReceivingAdviceReferencedDocument"),
        lines=tuple(map(line, transaction.all(_LINE))) or transaction.lack(_LINE),
    )


def _pass_over_derived(root: Part, agreement: Part, summation: Part) -> None:
    root.pass_over(
        "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"
    )
    agreement.pass_over("ram:SpecifiedProcuringProject/ram:Name")
    summation.pass_over(
        "ram:LineTotalAmount",
        "ram:ChargeTotalAmount",
        "ram:AllowanceTotalAmount",
        "ram:TaxBasisTotalAmount",
        "ram:GrandTotalAmount",
        "ram:DuePayableAmount",
    )


def _notes(header: Part) -> tuple[Note, ...]:
    return tuple(
        Note(text=text, subject_code=note.code("ram:SubjectCode"))
        for note in header.all("ram:IncludedNote")
        if (text := note.text("ram:Content"))
    )


def _reference(part: Part, name: str) -> str | None:
    return part.text(f"{name}/ram:IssuerAssignedID")


def _preceding_invoices(settlement: Part) -> tuple[PrecedingInvoice, ...]:
    return tuple(
        PrecedingInvoice(
            number=found.need_text("ram:IssuerAssignedID"),
            issue_date=moment(found, "ram:FormattedIssueDateTime", "qdt:DateTimeString"),
        )
        for found in settlement.all("ram:InvoiceReferencedDocument")
    )


def _adjustments(settlement: Part, *, charges: bool) -> tuple[DocumentAdjustment, ...]:
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


def _supporting_documents(agreement: Part) -> tuple[SupportingDocument, ...]:
    return tuple(
        SupportingDocument(
            id=document.need_text("ram:IssuerAssignedID"),
            description=document.text("ram:Name"),
            url=document.text("ram:URIID"),
        )
        for document in agreement.all("ram:AdditionalReferencedDocument")
        if document.has("ram:TypeCode", _SUPPORTING)
    )


def _tender(agreement: Part) -> str | None:
    for document in agreement.all("ram:AdditionalReferencedDocument"):
        if document.has("ram:TypeCode", _TENDER):
            return document.text("ram:IssuerAssignedID")
    return None


def _tax_total(summation: Part, currency: str, tax_currency: str | None) -> Decimal | None:
    """Return BT-111; BT-110 follows from the lines."""
    total = None
    for found in summation.all("ram:TaxTotalAmount"):
        own = found.attribute("currencyID")
        if own in {currency, None}:
            found.ignore()
        elif own == tax_currency and total is None:
            total = found.own_number()
    return total
