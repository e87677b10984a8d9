"""UBL document, in the element order of the schema of Invoice or of CreditNote."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chalicelib.engine.einvoice.model import DeliveryInformation, Invoice, InvoiceNote
from chalicelib.engine.einvoice.profiles import InvoiceProfile
from chalicelib.engine.einvoice.totals import InvoiceTotals, VatBreakdown
from chalicelib.engine.einvoice.write_ubl import references
from chalicelib.engine.einvoice.write_ubl.lines import line_item
from chalicelib.engine.einvoice.write_ubl.parties import (
    buyer_party,
    payee_party,
    postal_address,
    seller_party,
    tax_representative_party,
)
from chalicelib.engine.einvoice.write_ubl.payment import payment_means, payment_terms_node
from chalicelib.engine.einvoice.write_ubl.values import (
    document_adjustment,
    identifier,
    invoice_period,
    money,
    tax_scheme,
)
from chalicelib.engine.einvoice.xml_writer import (
    NO_UPLOADS,
    XmlNode,
    format_date,
    format_rate,
    group,
    leaf,
    serialise_xml,
)

# Codes of UNTDID 1001 that EN 16931 allows for credit notes (BR-CL-01).
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


def write_ubl(
    invoice: Invoice,
    totals: InvoiceTotals,
    profile: InvoiceProfile,
    embedded: Mapping[str, str] = NO_UPLOADS,
) -> bytes:
    """Write the invoice as UBL; absent values give no elements.

    `embedded` has the contents of uploads, in base64, by their ids.
    """
    is_credit_note = invoice.type_code in CREDIT_NOTE_CODES
    name = "CreditNote" if is_credit_note else "Invoice"
    head = (_credit_note_head if is_credit_note else _invoice_head)(invoice, embedded)
    root = group(
        name,
        leaf("cbc:CustomizationID", profile.guideline),
        leaf("cbc:ProfileID", invoice.process_id or profile.process_id),
        leaf("cbc:ID", invoice.number),
        leaf("cbc:IssueDate", format_date(invoice.issue_date)),
        *head,
        *_body(invoice, totals, profile, is_credit_note=is_credit_note),
    )
    assert root is not None, "the guideline is always there"
    return serialise_xml(root, {None: f"{UBL_SCHEMA}:{name}-2", **NAMESPACES})


def delivery(delivered: DeliveryInformation | None) -> XmlNode | None:
    """Return the delivery (BG-13)."""
    if delivered is None:
        return None
    return group(
        "cac:Delivery",
        leaf("cbc:ActualDeliveryDate", format_date(delivered.date)),
        group(
            "cac:DeliveryLocation",
            identifier("cbc:ID", delivered.location),
            postal_address("cac:Address", delivered.address),
        ),
        group("cac:DeliveryParty", group("cac:PartyName", leaf("cbc:Name", delivered.party_name))),
    )


def tax_totals(invoice: Invoice, totals: InvoiceTotals) -> tuple[XmlNode | None, ...]:
    """Return BT-110 with the VAT breakdown (BG-23), then BT-111 in the tax currency."""
    return (
        group(
            "cac:TaxTotal",
            money("cbc:TaxAmount", totals.tax_total, invoice.currency),
            *(_tax_subtotal(part, invoice.currency) for part in totals.vat_breakdown),
        ),
        group(
            "cac:TaxTotal",
            money("cbc:TaxAmount", invoice.tax_total_in_tax_currency, invoice.tax_currency),
        ),
    )


def monetary_total(invoice: Invoice, totals: InvoiceTotals) -> XmlNode | None:
    """Return the document totals (BG-22)."""
    currency = invoice.currency
    allowances = totals.allowance_total if invoice.allowances else None
    charges = totals.charge_total if invoice.charges else None
    return group(
        "cac:LegalMonetaryTotal",
        money("cbc:LineExtensionAmount", totals.line_total, currency),
        money("cbc:TaxExclusiveAmount", totals.tax_basis_total, currency),
        money("cbc:TaxInclusiveAmount", totals.grand_total, currency),
        money("cbc:AllowanceTotalAmount", allowances, currency),
        money("cbc:ChargeTotalAmount", charges, currency),
        money("cbc:PrepaidAmount", invoice.prepaid_amount, currency),
        money("cbc:PayableRoundingAmount", invoice.rounding_amount, currency),
        money("cbc:PayableAmount", totals.due_amount, currency),
    )


# The two schemas order the same elements differently.
def _invoice_head(invoice: Invoice, embedded: Mapping[str, str]) -> tuple[XmlNode | None, ...]:
    return (
        leaf("cbc:DueDate", format_date(invoice.due_date)),
        leaf("cbc:InvoiceTypeCode", invoice.type_code),
        *map(_note, invoice.notes),
        leaf("cbc:TaxPointDate", format_date(invoice.tax_point_date)),
        *_currencies_and_period(invoice),
        references.order_reference(invoice),
        *references.preceding_invoices(invoice),
        references.despatch_advice(invoice),
        references.receiving_advice(invoice),
        references.tender(invoice),
        references.contract(invoice),
        *references.additional_documents(invoice, embedded),
        references.project(invoice),
    )


def _credit_note_head(invoice: Invoice, embedded: Mapping[str, str]) -> tuple[XmlNode | None, ...]:
    return (
        leaf("cbc:TaxPointDate", format_date(invoice.tax_point_date)),
        leaf("cbc:CreditNoteTypeCode", invoice.type_code),
        *map(_note, invoice.notes),
        *_currencies_and_period(invoice),
        references.order_reference(invoice),
        *references.preceding_invoices(invoice),
        references.despatch_advice(invoice),
        references.receiving_advice(invoice),
        references.contract(invoice),
        *references.additional_documents(invoice, embedded),
        references.project_document(invoice),
        references.tender(invoice),
    )


def _currencies_and_period(invoice: Invoice) -> tuple[XmlNode | None, ...]:
    return (
        leaf("cbc:DocumentCurrencyCode", invoice.currency),
        leaf("cbc:TaxCurrencyCode", invoice.tax_currency),
        leaf("cbc:AccountingCost", invoice.buyer_accounting_reference),
        leaf("cbc:BuyerReference", invoice.buyer_reference),
        invoice_period(invoice.invoice_period, code=invoice.tax_point_date_code),
    )


def _body(
    invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile, *, is_credit_note: bool
) -> tuple[XmlNode | None, ...]:
    currency = invoice.currency
    return (
        seller_party(invoice, profile),
        buyer_party(invoice.buyer),
        payee_party(invoice.payee),
        tax_representative_party(invoice.tax_representative),
        delivery(invoice.delivery),
        *payment_means(invoice, due_date=invoice.due_date if is_credit_note else None),
        payment_terms_node(invoice),
        *(document_adjustment(part, currency, charge=False) for part in invoice.allowances),
        *(document_adjustment(part, currency, charge=True) for part in invoice.charges),
        *tax_totals(invoice, totals),
        monetary_total(invoice, totals),
        *(
            line_item(line, net_amount, currency, is_credit_note=is_credit_note)
            for line, net_amount in zip(invoice.lines, totals.line_net_amounts, strict=True)
        ),
    )


def _note(note: InvoiceNote) -> XmlNode | None:
    """Return BT-22; UBL has no element for BT-21, which stands before the text as `#AAI#`."""
    text = f"#{note.subject_code}#{note.text}" if note.subject_code else note.text
    return leaf("cbc:Note", text)


def _tax_subtotal(breakdown: VatBreakdown, currency: str) -> XmlNode | None:
    return group(
        "cac:TaxSubtotal",
        money("cbc:TaxableAmount", breakdown.taxable_amount, currency),
        money("cbc:TaxAmount", breakdown.tax_amount, currency),
        group(
            "cac:TaxCategory",
            leaf("cbc:ID", breakdown.category),
            # XRechnung BR-DE-14 demands a rate here also for category O, which has none elsewhere.
            leaf("cbc:Percent", format_rate(breakdown.rate) or "0"),
            leaf("cbc:TaxExemptionReasonCode", breakdown.exemption_reason_code),
            leaf("cbc:TaxExemptionReason", breakdown.exemption_reason),
            tax_scheme(),
        ),
    )
