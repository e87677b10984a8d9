"""Invoice of EN 16931, and the e-invoice of a render's output."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, field_serializer, field_validator, model_validator
from pydantic_core import PydanticCustomError

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import DATA_PATH_PATTERN, Day, UncheckedJson
from chalicelib.contract.invoice import business_groups as p
from chalicelib.contract.invoice import field_types as k
from chalicelib.contract.invoice.constraints import MAX_ENTRIES, MAX_LINES

_ENTRY_LIMIT = Field(max_length=MAX_ENTRIES)


class Invoice(Model):
    """An invoice or a credit note. Totals, the VAT breakdown and the net amounts of lines are
    computed. Decimals are strings or numbers: amounts have at most two places after the point,
    prices, quantities and rates six. Empty texts count as absent.
    """  # noqa: D205 -- descriptions are paragraphs

    number: k.RequiredText
    """Invoice number (BT-1)."""
    issue_date: Day
    """Date of the invoice, such as `2026-01-31` (BT-2)."""
    due_date: Day | None = None
    """Date on which the payment is due (BT-9)."""
    tax_point_date: Day | None = None
    """Date on which the VAT becomes due (BT-7); excludes `tax_point_date_code`."""
    type_code: k.InvoiceTypeCode | None = "380"
    """Kind of document (BT-3): UNTDID 1001, of which 380 is an invoice, 381 a credit note, 384 a
    corrected invoice (needs `preceding_invoices`), 389 a self-billed, 326 a partial and 386 a
    prepayment invoice; also 751, 875, 876 and 877."""
    currency: k.CurrencyCode
    """Currency of all amounts (BT-5): ISO 4217, such as `EUR`."""
    tax_currency: k.CurrencyCode | None = None
    """Currency in which VAT is accounted (BT-6): ISO 4217. Goes with
    `tax_total_in_tax_currency`."""
    tax_total_in_tax_currency: k.Amount | None = None
    """VAT total in `tax_currency` (BT-111)."""
    tax_point_date_code: k.TaxPointDateCode | None = None
    """What decides the date on which the VAT becomes due (BT-8): `3` the invoice, `35` the
    delivery, `432` the payment."""
    buyer_reference: k.Text | None = None
    """The buyer's reference (BT-10). XRECHNUNG needs it: the Leitweg-ID."""
    buyer_accounting_reference: k.Text | None = None
    """The buyer's account for the invoice (BT-19)."""
    contract_reference: k.Text | None = None
    """Number of the contract (BT-12)."""
    despatch_advice_reference: k.Text | None = None
    """Number of the despatch advice (BT-16)."""
    order_reference: k.Text | None = None
    """Number of the buyer's order (BT-13)."""
    project_reference: k.Text | None = None
    """Number of the project (BT-11)."""
    receiving_advice_reference: k.Text | None = None
    """Number of the receiving advice (BT-15)."""
    sales_order_reference: k.Text | None = None
    """Number of the seller's order (BT-14)."""
    tender_reference: k.Text | None = None
    """Number of the tender or lot (BT-17)."""
    process_id: k.Text | None = None
    """Business process (BT-23). Null: Peppol's billing process for XRECHNUNG and PEPPOL, none for
    the others."""
    payment_terms: k.PaymentTermsText | None = None
    """Payment terms (BT-20). XRECHNUNG takes discounts as lines of
    `#SKONTO#TAGE=14#PROZENT=2.00#`."""
    prepaid_amount: k.Amount | None = None
    """Amount that was paid already (BT-113)."""
    rounding_amount: k.Amount | None = None
    """Amount by which the total is rounded (BT-114)."""
    invoiced_object: p.InvoiceIdentifier | None = None
    """Identifier of the object that the invoice is about, such as a meter (BT-18)."""
    invoice_period: p.InvoicePeriod | None = None
    """Days that the invoice is about (BG-14)."""
    notes: Annotated[list[p.InvoiceNote], _ENTRY_LIMIT] | None = None
    """Notes (BG-1)."""
    preceding_invoices: Annotated[list[p.InvoicePreceding], _ENTRY_LIMIT] | None = None
    """Invoices that this one corrects or follows (BG-3)."""
    supporting_documents: Annotated[list[p.InvoiceSupportingDocument], _ENTRY_LIMIT] | None = None
    """Documents that support the invoice (BG-24)."""
    allowances: Annotated[list[p.InvoiceDocumentAdjustment], _ENTRY_LIMIT] | None = None
    """Allowances of the whole document (BG-20)."""
    charges: Annotated[list[p.InvoiceDocumentAdjustment], _ENTRY_LIMIT] | None = None
    """Charges of the whole document (BG-21)."""
    lines: Annotated[list[p.InvoiceLine], Field(min_length=1, max_length=MAX_LINES)]
    """Lines (BG-25). MINIMUM and BASIC_WL do not carry them, but totals are computed from them."""
    delivery: p.InvoiceDelivery | None = None
    """Place, receiver and date of the delivery (BG-13)."""
    payee: p.InvoicePayee | None = None
    """Who gets the money, if it is not the seller (BG-10)."""
    tax_representative: p.InvoiceTaxRepresentative | None = None
    """The seller's tax representative (BG-11)."""
    vat_exemptions: dict[k.VatCategory, p.InvoiceVatExemption] | None = None
    """Why categories have no VAT (BT-120, BT-121), by VAT category; needed for E, AE, K, G and
    O."""
    seller: p.InvoiceSeller
    """The seller (BG-4)."""
    buyer: p.InvoiceBuyer
    """The buyer (BG-7)."""
    payment: p.InvoicePayment | None = None
    """How the invoice is paid (BG-16)."""


class EInvoiceSpec(Model):
    """The e-invoice that a PDF carries: the PDF becomes a PDF/A-3."""

    profile: k.EInvoiceProfile
    """The profile, which decides what the invoice must have."""
    invoice: Invoice | None = None
    """The invoice; excludes `invoice_path`."""
    invoice_path: (
        Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=DATA_PATH_PATTERN)]
        | None
    ) = None
    """Path of the invoice in `data`: object keys separated by dots, such as `order.invoice`.
    Excludes `invoice`."""
    syntax: Literal["cii"] = "cii"
    """Syntax of the XML: a PDF carries CII only. `POST /v1/einvoices` makes UBL."""

    @field_validator("profile", "syntax", mode="before")
    @classmethod
    def _check_carried(cls, value: object) -> object:
        other = {"PEPPOL": "another profile", "ubl": "cii"}.get(str(value))
        if other is None:
            return value
        message = "must be {other}, which a PDF can carry: POST /v1/einvoices makes {value}"
        raise PydanticCustomError("not_in_pdf", message, {"other": other, "value": value})

    @field_serializer("invoice")
    def _serialize_invoice(self, invoice: Invoice | None) -> dict[str, UncheckedJson] | None:
        """Serialise without absent members, because an invoice may have thousands of lines."""
        return None if invoice is None else invoice.model_dump(mode="json", exclude_none=True)

    @model_validator(mode="after")
    def _check_one_invoice(self) -> Self:
        if (self.invoice is None) == (self.invoice_path is None):
            message = "must have exactly one of invoice and invoice_path"
            raise ValueError(message)
        return self
