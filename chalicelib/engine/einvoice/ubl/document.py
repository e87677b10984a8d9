"""The document, in the two orders that the schemas of Invoice and CreditNote have."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chalicelib.engine.einvoice.model import Invoice, Note
from chalicelib.engine.einvoice.profiles import Profile
from chalicelib.engine.einvoice.totals import Totals
from chalicelib.engine.einvoice.ubl import references
from chalicelib.engine.einvoice.ubl.delivery import delivery
from chalicelib.engine.einvoice.ubl.lines import line_item
from chalicelib.engine.einvoice.ubl.parties import (
    buyer_party,
    payee_party,
    representative_party,
    seller_party,
)
from chalicelib.engine.einvoice.ubl.payment import payment_means, terms
from chalicelib.engine.einvoice.ubl.totals import monetary_total, tax_totals
from chalicelib.engine.einvoice.ubl.values import document_adjustment, invoice_period
from chalicelib.engine.einvoice.xmlwrite import Node, day, group, leaf, serialise

# The credit notes among the codes of UNTDID 1001 that EN 16931 allows (BR-CL-01).
CREDIT_NOTE_CODES: Final = frozenset(
    {"81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "532"}
)
UBL_SCHEMA: Final = "urn:oasis:names:specification:ubl:schema:xsd"
NAMESPACES: Final[Mapping[str | None, str]] = MappingProxyType(
    {
        "cac": f"{UBL_SCHEMA}:CommonAggregateComponents-2",
        "cbc": f"{UBL_SCHEMA}:CommonBasicComponents-2",
    }
)


def to_ubl(invoice: Invoice, totals: Totals, profile: Profile) -> bytes:
    """Write the invoice as UBL."""
    is_credit_note = invoice.type_code in CREDIT_NOTE_CODES
    name = "CreditNote" if is_credit_note else "Invoice"
    head = _credit_note_head(invoice) if is_credit_note else _invoice_head(invoice)
    root = group(
        name,
        leaf("cbc:CustomizationID", profile.guideline),
        leaf("cbc:ProfileID", invoice.process_id or profile.process_id),
        leaf("cbc:ID", invoice.number),
        leaf("cbc:IssueDate", day(invoice.issue_date)),
        *head,
        *_body(invoice, totals, is_credit_note=is_credit_note),
    )
    assert root is not None, "the guideline is always there"
    return serialise(root, {None: f"{UBL_SCHEMA}:{name}-2", **NAMESPACES})


def _invoice_head(invoice: Invoice) -> tuple[Node | None, ...]:
    return (
        leaf("cbc:DueDate", day(invoice.due_date)),
        leaf("cbc:InvoiceTypeCode", invoice.type_code),
        *map(_note, invoice.notes),
        leaf("cbc:TaxPointDate", day(invoice.tax_point_date)),
        *_currencies_and_period(invoice),
        references.orders(invoice),
        *references.preceding_invoices(invoice),
        references.despatch_advice(invoice),
        references.receiving_advice(invoice),
        references.tender(invoice),
        references.contract(invoice),
        *references.additional_documents(invoice),
        references.project(invoice),
    )


def _credit_note_head(invoice: Invoice) -> tuple[Node | None, ...]:
    return (
        leaf("cbc:TaxPointDate", day(invoice.tax_point_date)),
        leaf("cbc:CreditNoteTypeCode", invoice.type_code),
        *map(_note, invoice.notes),
        *_currencies_and_period(invoice),
        references.orders(invoice),
        *references.preceding_invoices(invoice),
        references.despatch_advice(invoice),
        references.receiving_advice(invoice),
        references.contract(invoice),
        *references.additional_documents(invoice),
        references.project_document(invoice),
        references.tender(invoice),
    )


def _currencies_and_period(invoice: Invoice) -> tuple[Node | None, ...]:
    return (
        leaf("cbc:DocumentCurrencyCode", invoice.currency),
        leaf("cbc:TaxCurrencyCode", invoice.tax_currency),
        leaf("cbc:AccountingCost", invoice.buyer_accounting_reference),
        leaf("cbc:BuyerReference", invoice.buyer_reference),
        invoice_period(invoice.invoice_period, code=invoice.tax_point_date_code),
    )


def _body(invoice: Invoice, totals: Totals, *, is_credit_note: bool) -> tuple[Node | None, ...]:
    currency = invoice.currency
    return (
        seller_party(invoice),
        buyer_party(invoice.buyer),
        payee_party(invoice.payee),
        representative_party(invoice.tax_representative),
        delivery(invoice.delivery),
        *payment_means(invoice, due_date=invoice.due_date if is_credit_note else None),
        terms(invoice),
        *(document_adjustment(part, currency, charge=False) for part in invoice.allowances),
        *(document_adjustment(part, currency, charge=True) for part in invoice.charges),
        *tax_totals(invoice, totals),
        monetary_total(invoice, totals),
        *(
            line_item(line, net_amount, currency, is_credit_note=is_credit_note)
            for line, net_amount in zip(invoice.lines, totals.line_net_amounts, strict=True)
        ),
    )


def _note(note: Note) -> Node | None:
    """Return BT-22, which carries BT-21 between number signs."""
    text = f"#{note.subject_code}#{note.text}" if note.subject_code else note.text
    return leaf("cbc:Note", text)
