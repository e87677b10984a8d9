"""CII trade agreement: the parties and the references to other documents."""

from collections.abc import Mapping
from typing import Final

from chalicelib.engine.einvoice.model import Identifier, Invoice
from chalicelib.engine.einvoice.write_cii.parties import (
    buyer_party,
    seller_party,
    tax_representative_party,
)
from chalicelib.engine.einvoice.xml_writer import XmlNode, group, leaf

# Document type codes of UNTDID 1001.
_TENDER_CODE: Final = "50"
_INVOICED_OBJECT_CODE: Final = "130"
_SUPPORTING_DOCUMENT_CODE: Final = "916"
# CII requires the name of a project; EN 16931 has only its number (BT-11).
_PROJECT_NAME: Final = "Project reference"


def agreement(invoice: Invoice, embedded: Mapping[str, str]) -> XmlNode | None:
    """Return the header agreement: parties and references.

    `embedded` has the contents of uploads, in base64, by their ids.
    """
    return group(
        "ram:ApplicableHeaderTradeAgreement",
        leaf("ram:BuyerReference", invoice.buyer_reference),
        seller_party(invoice.seller),
        buyer_party(invoice.buyer),
        tax_representative_party(invoice.tax_representative),
        document_reference("ram:SellerOrderReferencedDocument", invoice.sales_order_reference),
        document_reference("ram:BuyerOrderReferencedDocument", invoice.order_reference),
        document_reference("ram:ContractReferencedDocument", invoice.contract_reference),
        *_supporting_documents(invoice, embedded),
        _tender(invoice.tender_reference),
        invoiced_object_reference(invoice.invoiced_object),
        _project(invoice.project_reference),
    )


def document_reference(tag: str, number: str | None) -> XmlNode | None:
    """Return a reference to a document by its number."""
    return group(tag, leaf("ram:IssuerAssignedID", number))


def invoiced_object_reference(value: Identifier | None) -> XmlNode | None:
    """Return the identifier of the invoiced object (BT-18, BT-128)."""
    if value is None:
        return None
    return group(
        "ram:AdditionalReferencedDocument",
        leaf("ram:IssuerAssignedID", value.id),
        leaf("ram:TypeCode", _INVOICED_OBJECT_CODE),
        leaf("ram:ReferenceTypeCode", value.scheme),
    )


def _supporting_documents(
    invoice: Invoice, embedded: Mapping[str, str]
) -> tuple[XmlNode | None, ...]:
    return tuple(
        group(
            "ram:AdditionalReferencedDocument",
            leaf("ram:IssuerAssignedID", document.id),
            leaf("ram:URIID", document.url),
            leaf("ram:TypeCode", _SUPPORTING_DOCUMENT_CODE),
            leaf("ram:Name", document.description),
            leaf(
                "ram:AttachmentBinaryObject",
                embedded.get(document.upload_id or ""),
                mimeCode=document.content_type,
                filename=document.filename,
            ),
        )
        for document in invoice.supporting_documents
    )


def _tender(number: str | None) -> XmlNode | None:
    if number is None:
        return None
    return group(
        "ram:AdditionalReferencedDocument",
        leaf("ram:IssuerAssignedID", number),
        leaf("ram:TypeCode", _TENDER_CODE),
    )


def _project(number: str | None) -> XmlNode | None:
    if number is None:
        return None
    return group(
        "ram:SpecifiedProcuringProject",
        leaf("ram:ID", number),
        leaf("ram:Name", _PROJECT_NAME),
    )
