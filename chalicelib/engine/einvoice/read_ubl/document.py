"""The document, read from UBL: an Invoice or a CreditNote."""

import datetime as dt
import re
from typing import Final

from chalicelib.engine.einvoice.model import Delivery, DocumentAdjustment, Invoice, Line, Note
from chalicelib.engine.einvoice.read_ubl import references
from chalicelib.engine.einvoice.read_ubl.lines import line
from chalicelib.engine.einvoice.read_ubl.parties import (
    address,
    buyer,
    payee,
    seller,
    tax_representative,
)
from chalicelib.engine.einvoice.read_ubl.payment import payment
from chalicelib.engine.einvoice.read_ubl.totals import (
    pass_over_derived,
    tax_total,
    vat_exemptions,
)
from chalicelib.engine.einvoice.read_ubl.values import (
    allowance_charges,
    identifier,
    invoice_period,
    tax_category,
)
from chalicelib.engine.einvoice.xmlread import Part

_SUBJECT: Final = re.compile(r"#([A-Z0-9]{3})#(.*)", re.DOTALL)


def read_ubl(root: Part) -> Invoice:
    """Return the invoice; raises UnreadableInvoiceError."""
    pass_over_derived(root)
    is_credit_note = root.one("cbc:CreditNoteTypeCode") is not None
    currency = root.need_code("cbc:DocumentCurrencyCode")
    tax_currency = root.code("cbc:TaxCurrencyCode")
    supplier = root.need("cac:AccountingSupplierParty/cac:Party")
    payee_party = root.one("cac:PayeeParty")
    paid = payment(root, supplier, payee_party)
    return Invoice(
        number=root.need_text("cbc:ID"),
        issue_date=root.day("cbc:IssueDate") or root.lack("cbc:IssueDate"),
        due_date=_due_date(root),
        type_code=root.need_code(
            "cbc:CreditNoteTypeCode" if is_credit_note else "cbc:InvoiceTypeCode"
        ),
        notes=tuple(_note(text) for note in root.all("cbc:Note") if (text := note.value)),
        process_id=root.text("cbc:ProfileID"),
        currency=currency,
        tax_currency=tax_currency,
        tax_total_in_tax_currency=tax_total(root, currency, tax_currency),
        prepaid_amount=root.number("cac:LegalMonetaryTotal/cbc:PrepaidAmount"),
        rounding_amount=root.number("cac:LegalMonetaryTotal/cbc:PayableRoundingAmount"),
        payment_terms=root.text("cac:PaymentTerms/cbc:Note"),
        tax_point_date=root.day("cbc:TaxPointDate"),
        tax_point_date_code=root.code("cac:InvoicePeriod/cbc:DescriptionCode"),
        vat_exemptions=vat_exemptions(root),
        invoice_period=invoice_period(root),
        preceding_invoices=references.preceding_invoices(root),
        buyer_accounting_reference=root.text("cbc:AccountingCost"),
        allowances=_adjustments(root, charges=False),
        charges=_adjustments(root, charges=True),
        payee=payee(payee_party, creditor_apart=paid is not None),
        payment=paid,
        buyer_reference=root.text("cbc:BuyerReference"),
        contract_reference=root.text("cac:ContractDocumentReference/cbc:ID"),
        order_reference=references.order(root),
        sales_order_reference=root.text("cac:OrderReference/cbc:SalesOrderID"),
        project_reference=references.project(root),
        tender_reference=root.text("cac:OriginatorDocumentReference/cbc:ID"),
        invoiced_object=references.invoiced_object(root),
        supporting_documents=references.supporting_documents(root),
        seller=seller(supplier, creditor_apart=paid is not None),
        buyer=buyer(root.need("cac:AccountingCustomerParty/cac:Party")),
        tax_representative=tax_representative(root.one("cac:TaxRepresentativeParty")),
        delivery=_delivery(root),
        despatch_advice_reference=root.text("cac:DespatchDocumentReference/cbc:ID"),
        receiving_advice_reference=root.text("cac:ReceiptDocumentReference/cbc:ID"),
        lines=_lines(root, is_credit_note=is_credit_note),
    )


def _due_date(root: Part) -> dt.date | None:
    """Return BT-9, which a credit note has beside the means of payment."""
    return root.day("cbc:DueDate") or root.day("cac:PaymentMeans/cbc:PaymentDueDate")


def _note(text: str) -> Note:
    found = _SUBJECT.fullmatch(text)
    if found and found[2].strip():
        return Note(subject_code=found[1], text=found[2])
    return Note(text=text)


def _adjustments(root: Part, *, charges: bool) -> tuple[DocumentAdjustment, ...]:
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


def _delivery(root: Part) -> Delivery | None:
    part = root.one("cac:Delivery")
    if part is None:
        return None
    return Delivery(
        party_name=part.text("cac:DeliveryParty/cac:PartyName/cbc:Name"),
        location=identifier(part, "cac:DeliveryLocation/cbc:ID"),
        address=address(part, "cac:DeliveryLocation/cac:Address"),
        date=part.day("cbc:ActualDeliveryDate"),
    )


def _lines(root: Part, *, is_credit_note: bool) -> tuple[Line, ...]:
    name = "cac:CreditNoteLine" if is_credit_note else "cac:InvoiceLine"
    quantity = "cbc:CreditedQuantity" if is_credit_note else "cbc:InvoicedQuantity"
    return tuple(line(part, quantity) for part in root.all(name)) or root.lack(name)
