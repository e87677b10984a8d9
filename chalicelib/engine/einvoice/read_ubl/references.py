"""UBL reference reader: the documents that an invoice refers to."""

from chalicelib.engine.einvoice.model import Identifier, PrecedingInvoice, SupportingDocument
from chalicelib.engine.einvoice.read_ubl.values import identifier
from chalicelib.engine.einvoice.write_ubl.references import (
    INVOICED_OBJECT_CODE,
    NO_ORDER_ID,
    PROJECT_CODE,
)
from chalicelib.engine.einvoice.xml_reader import ElementReader, embedded_file

_ADDITIONAL_PATH = "cac:AdditionalDocumentReference"
_TYPE_CODE_PATH = "cbc:DocumentTypeCode"


def order_reference(root: ElementReader) -> str | None:
    """Return the order reference (BT-13).

    UBL requires it for a sales order: `NA` then means that there is none.
    """
    number = root.text("cac:OrderReference/cbc:ID")
    if number == NO_ORDER_ID and root.peek("cac:OrderReference/cbc:SalesOrderID"):
        return None
    return number


def project_reference(root: ElementReader) -> str | None:
    """Return the project reference (BT-11), in a credit note one of the additional documents."""
    number = root.text("cac:ProjectReference/cbc:ID")
    if number is not None:
        return number
    for document in root.find_all(_ADDITIONAL_PATH):
        if document.has_code(_TYPE_CODE_PATH, PROJECT_CODE):
            return document.text("cbc:ID")
    return None


def invoiced_object(root: ElementReader) -> Identifier | None:
    """Return the identifier of the invoiced object (BT-18)."""
    for document in root.find_all(_ADDITIONAL_PATH):
        if document.has_code(_TYPE_CODE_PATH, INVOICED_OBJECT_CODE):
            return identifier(document, "cbc:ID")
    return None


def supporting_documents(root: ElementReader) -> tuple[SupportingDocument, ...]:
    """Return the supporting documents (BG-24)."""
    return tuple(
        SupportingDocument(
            id=document.require_text("cbc:ID"),
            description=document.text("cbc:DocumentDescription"),
            url=document.text("cac:Attachment/cac:ExternalReference/cbc:URI"),
            **embedded_file(document.find("cac:Attachment/cbc:EmbeddedDocumentBinaryObject")),
        )
        for document in root.find_all(_ADDITIONAL_PATH)
        if document.peek(_TYPE_CODE_PATH) not in {INVOICED_OBJECT_CODE, PROJECT_CODE}
    )


def preceding_invoices(root: ElementReader) -> tuple[PrecedingInvoice, ...]:
    """Return the preceding invoices (BG-3)."""
    return tuple(
        PrecedingInvoice(
            number=document.require_text("cbc:ID"), issue_date=document.iso_date("cbc:IssueDate")
        )
        for document in root.find_all("cac:BillingReference/cac:InvoiceDocumentReference")
    )
