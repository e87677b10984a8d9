"""UBL references to other documents."""

from collections.abc import Mapping
from typing import Final

from chalicelib.engine.einvoice.model import Identifier, Invoice
from chalicelib.engine.einvoice.write_ubl.values import identifier
from chalicelib.engine.einvoice.xml_writer import XmlNode, format_date, group, leaf

# UBL requires an order number (BT-13) if there is a sales order number (BT-14).
NO_ORDER_ID: Final = "NA"
# Document type codes of UNTDID 1001.
PROJECT_CODE: Final = "50"
INVOICED_OBJECT_CODE: Final = "130"


def order_reference(invoice: Invoice) -> XmlNode | None:
    """Return the references to the order and the sales order (BT-13, BT-14)."""
    sales_order = leaf("cbc:SalesOrderID", invoice.sales_order_reference)
    order = leaf("cbc:ID", invoice.order_reference)
    if order is None and sales_order is not None:
        order = leaf("cbc:ID", NO_ORDER_ID)
    return group("cac:OrderReference", order, sales_order)


def preceding_invoices(invoice: Invoice) -> tuple[XmlNode | None, ...]:
    """Return the preceding invoices (BG-3)."""
    return tuple(
        group(
            "cac:BillingReference",
            group(
                "cac:InvoiceDocumentReference",
                leaf("cbc:ID", preceding.number),
                leaf("cbc:IssueDate", format_date(preceding.issue_date)),
            ),
        )
        for preceding in invoice.preceding_invoices
    )


def despatch_advice(invoice: Invoice) -> XmlNode | None:
    """Return the despatch advice reference (BT-16)."""
    return _document_reference("cac:DespatchDocumentReference", invoice.despatch_advice_reference)


def receiving_advice(invoice: Invoice) -> XmlNode | None:
    """Return the receiving advice reference (BT-15)."""
    return _document_reference("cac:ReceiptDocumentReference", invoice.receiving_advice_reference)


def tender(invoice: Invoice) -> XmlNode | None:
    """Return the tender reference (BT-17)."""
    return _document_reference("cac:OriginatorDocumentReference", invoice.tender_reference)


def contract(invoice: Invoice) -> XmlNode | None:
    """Return the contract reference (BT-12)."""
    return _document_reference("cac:ContractDocumentReference", invoice.contract_reference)


def project(invoice: Invoice) -> XmlNode | None:
    """Return the project reference (BT-11)."""
    return _document_reference("cac:ProjectReference", invoice.project_reference)


def project_document(invoice: Invoice) -> XmlNode | None:
    """Return the project reference (BT-11) of a credit note, whose schema has no element for it."""
    if not invoice.project_reference:
        return None
    return group(
        "cac:AdditionalDocumentReference",
        leaf("cbc:ID", invoice.project_reference),
        leaf("cbc:DocumentTypeCode", PROJECT_CODE),
    )


def additional_documents(
    invoice: Invoice, embedded: Mapping[str, str]
) -> tuple[XmlNode | None, ...]:
    """Return the supporting documents (BG-24) and the invoiced object (BT-18)."""
    return (
        *(
            group(
                "cac:AdditionalDocumentReference",
                leaf("cbc:ID", document.id),
                leaf("cbc:DocumentDescription", document.description),
                group(
                    "cac:Attachment",
                    leaf(
                        "cbc:EmbeddedDocumentBinaryObject",
                        embedded.get(document.upload_id or ""),
                        mimeCode=document.content_type,
                        filename=document.filename,
                    ),
                    group("cac:ExternalReference", leaf("cbc:URI", document.url)),
                ),
            )
            for document in invoice.supporting_documents
        ),
        invoiced_object_reference("cac:AdditionalDocumentReference", invoice.invoiced_object),
    )


def invoiced_object_reference(tag: str, value: Identifier | None) -> XmlNode | None:
    """Return the identifier of the invoiced object (BT-18, BT-128)."""
    if value is None:
        return None
    return group(
        tag, identifier("cbc:ID", value), leaf("cbc:DocumentTypeCode", INVOICED_OBJECT_CODE)
    )


def _document_reference(tag: str, number: str | None) -> XmlNode | None:
    return group(tag, leaf("cbc:ID", number))
