"""The documents that an invoice refers to, as UBL."""

from typing import Final

from chalicelib.engine.einvoice.model import Identifier, Invoice
from chalicelib.engine.einvoice.ubl.values import identifier
from chalicelib.engine.einvoice.xmlwrite import Node, day, group, leaf

# UBL demands the number of the order beside that of the sales order.
NO_ORDER: Final = "NA"
# UNTDID 1001.
PROJECT: Final = "50"
INVOICED_OBJECT: Final = "130"


def orders(invoice: Invoice) -> Node | None:
    """Return BT-13 and BT-14."""
    sales_order = leaf("cbc:SalesOrderID", invoice.sales_order_reference)
    order = leaf("cbc:ID", invoice.order_reference)
    if order is None and sales_order is not None:
        order = leaf("cbc:ID", NO_ORDER)
    return group("cac:OrderReference", order, sales_order)


def preceding_invoices(invoice: Invoice) -> tuple[Node | None, ...]:
    """Return BG-3."""
    return tuple(
        group(
            "cac:BillingReference",
            group(
                "cac:InvoiceDocumentReference",
                leaf("cbc:ID", preceding.number),
                leaf("cbc:IssueDate", day(preceding.issue_date)),
            ),
        )
        for preceding in invoice.preceding_invoices
    )


def despatch_advice(invoice: Invoice) -> Node | None:
    """Return BT-16."""
    return _document("cac:DespatchDocumentReference", invoice.despatch_advice_reference)


def receiving_advice(invoice: Invoice) -> Node | None:
    """Return BT-15."""
    return _document("cac:ReceiptDocumentReference", invoice.receiving_advice_reference)


def tender(invoice: Invoice) -> Node | None:
    """Return BT-17."""
    return _document("cac:OriginatorDocumentReference", invoice.tender_reference)


def contract(invoice: Invoice) -> Node | None:
    """Return BT-12."""
    return _document("cac:ContractDocumentReference", invoice.contract_reference)


def project(invoice: Invoice) -> Node | None:
    """Return BT-11."""
    return _document("cac:ProjectReference", invoice.project_reference)


def project_document(invoice: Invoice) -> Node | None:
    """Return BT-11 of a credit note, which has no element of its own for it."""
    if not invoice.project_reference:
        return None
    return group(
        "cac:AdditionalDocumentReference",
        leaf("cbc:ID", invoice.project_reference),
        leaf("cbc:DocumentTypeCode", PROJECT),
    )


def additional_documents(invoice: Invoice) -> tuple[Node | None, ...]:
    """Return BG-24 and BT-18."""
    return (
        *(
            group(
                "cac:AdditionalDocumentReference",
                leaf("cbc:ID", document.id),
                leaf("cbc:DocumentDescription", document.description),
                group(
                    "cac:Attachment",
                    group("cac:ExternalReference", leaf("cbc:URI", document.url)),
                ),
            )
            for document in invoice.supporting_documents
        ),
        object_document("cac:AdditionalDocumentReference", invoice.invoiced_object),
    )


def object_document(tag: str, value: Identifier | None) -> Node | None:
    """Return what is invoiced (BT-18, BT-128)."""
    if value is None:
        return None
    return group(tag, identifier("cbc:ID", value), leaf("cbc:DocumentTypeCode", INVOICED_OBJECT))


def _document(tag: str, number: str | None) -> Node | None:
    return group(tag, leaf("cbc:ID", number))
