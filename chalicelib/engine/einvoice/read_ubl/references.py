"""The documents that an invoice refers to, read from UBL."""

from chalicelib.engine.einvoice.model import Identifier, PrecedingInvoice, SupportingDocument
from chalicelib.engine.einvoice.read_ubl.values import identifier
from chalicelib.engine.einvoice.ubl.references import INVOICED_OBJECT, NO_ORDER, PROJECT
from chalicelib.engine.einvoice.xmlread import Part

_ADDITIONAL = "cac:AdditionalDocumentReference"
_TYPE = "cbc:DocumentTypeCode"


def order(root: Part) -> str | None:
    """Return BT-13; beside a sales order, NA stands for none."""
    number = root.text("cac:OrderReference/cbc:ID")
    if number == NO_ORDER and root.peek("cac:OrderReference/cbc:SalesOrderID"):
        return None
    return number


def project(root: Part) -> str | None:
    """Return BT-11, which a credit note has among the additional documents."""
    number = root.text("cac:ProjectReference/cbc:ID")
    if number is not None:
        return number
    for document in root.all(_ADDITIONAL):
        if document.has(_TYPE, PROJECT):
            return document.text("cbc:ID")
    return None


def invoiced_object(root: Part) -> Identifier | None:
    """Return BT-18."""
    for document in root.all(_ADDITIONAL):
        if document.has(_TYPE, INVOICED_OBJECT):
            return identifier(document, "cbc:ID")
    return None


def supporting_documents(root: Part) -> tuple[SupportingDocument, ...]:
    """Return BG-24."""
    return tuple(
        SupportingDocument(
            id=document.need_text("cbc:ID"),
            description=document.text("cbc:DocumentDescription"),
            url=document.text("cac:Attachment/cac:ExternalReference/cbc:URI"),
        )
        for document in root.all(_ADDITIONAL)
        if document.peek(_TYPE) not in {INVOICED_OBJECT, PROJECT}
    )


def preceding_invoices(root: Part) -> tuple[PrecedingInvoice, ...]:
    """Return BG-3."""
    return tuple(
        PrecedingInvoice(number=found.need_text("cbc:ID"), issue_date=found.day("cbc:IssueDate"))
        for found in root.all("cac:BillingReference/cac:InvoiceDocumentReference")
    )
