"""Who agreed on what: the parties and the documents that an invoice refers to, as CII."""

from typing import Final

from chalicelib.engine.einvoice.cii.parties import buyer_party, representative_party, seller_party
from chalicelib.engine.einvoice.model import Identifier, Invoice
from chalicelib.engine.einvoice.xmlwrite import Node, group, leaf

# UNTDID 1001.
_TENDER: Final = "50"
_INVOICED_OBJECT: Final = "130"
_SUPPORTING: Final = "916"
# CII demands a name beside the number of a project; EN 16931 has none.
_PROJECT_NAME: Final = "Project reference"


def agreement(invoice: Invoice) -> Node | None:
    """Return the parties and the references."""
    return group(
        "ram:ApplicableHeaderTradeAgreement",
        leaf("ram:BuyerReference", invoice.buyer_reference),
        seller_party(invoice.seller),
        buyer_party(invoice.buyer),
        representative_party(invoice.tax_representative),
        reference("ram:SellerOrderReferencedDocument", invoice.sales_order_reference),
        reference("ram:BuyerOrderReferencedDocument", invoice.order_reference),
        reference("ram:ContractReferencedDocument", invoice.contract_reference),
        *_supporting_documents(invoice),
        _tender(invoice.tender_reference),
        object_document(invoice.invoiced_object),
        _project(invoice.project_reference),
    )


def reference(tag: str, number: str | None) -> Node | None:
    """Return a reference to a document by its number."""
    return group(tag, leaf("ram:IssuerAssignedID", number))


def object_document(value: Identifier | None) -> Node | None:
    """Return what is invoiced (BT-18, BT-128)."""
    if value is None:
        return None
    return group(
        "ram:AdditionalReferencedDocument",
        leaf("ram:IssuerAssignedID", value.id),
        leaf("ram:TypeCode", _INVOICED_OBJECT),
        leaf("ram:ReferenceTypeCode", value.scheme),
    )


def _supporting_documents(invoice: Invoice) -> tuple[Node | None, ...]:
    return tuple(
        group(
            "ram:AdditionalReferencedDocument",
            leaf("ram:IssuerAssignedID", document.id),
            leaf("ram:URIID", document.url),
            leaf("ram:TypeCode", _SUPPORTING),
            leaf("ram:Name", document.description),
        )
        for document in invoice.supporting_documents
    )


def _tender(number: str | None) -> Node | None:
    if number is None:
        return None
    return group(
        "ram:AdditionalReferencedDocument",
        leaf("ram:IssuerAssignedID", number),
        leaf("ram:TypeCode", _TENDER),
    )


def _project(number: str | None) -> Node | None:
    if number is None:
        return None
    return group(
        "ram:SpecifiedProcuringProject",
        leaf("ram:ID", number),
        leaf("ram:Name", _PROJECT_NAME),
    )
