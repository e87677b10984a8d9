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
    issue_date: Day
    due_date: Day | None = None
    tax_point_date: Day | None = None
    type_code: k.InvoiceTypeCode | None = "380"
    """UNTDID 1001: 380 invoice, 381 credit note, 384 corrected (needs `preceding_invoices`),
    389 self-billed, 326 partial, 386 prepayment, 751, 875, 876, 877."""
    currency: k.CurrencyCode
    """ISO 4217."""
    tax_currency: k.CurrencyCode | None = None
    tax_total_in_tax_currency: k.Amount | None = None
    tax_point_date_code: k.TaxPointDateCode | None = None
    buyer_reference: k.Text | None = None
    """Needed for XRECHNUNG (the Leitweg-ID)."""
    buyer_accounting_reference: k.Text | None = None
    contract_reference: k.Text | None = None
    despatch_advice_reference: k.Text | None = None
    order_reference: k.Text | None = None
    project_reference: k.Text | None = None
    receiving_advice_reference: k.Text | None = None
    sales_order_reference: k.Text | None = None
    tender_reference: k.Text | None = None
    process_id: k.Text | None = None
    """Default for XRECHNUNG: Peppol's billing process."""
    payment_terms: k.PaymentTermsText | None = None
    """XRECHNUNG takes discounts as lines of `#SKONTO#TAGE=14#PROZENT=2.00#`."""
    prepaid_amount: k.Amount | None = None
    rounding_amount: k.Amount | None = None
    invoiced_object: p.InvoiceIdentifier | None = None
    invoice_period: p.InvoicePeriod | None = None
    notes: Annotated[list[p.InvoiceNote], _ENTRY_LIMIT] | None = None
    preceding_invoices: Annotated[list[p.InvoicePreceding], _ENTRY_LIMIT] | None = None
    supporting_documents: Annotated[list[p.InvoiceSupportingDocument], _ENTRY_LIMIT] | None = None
    allowances: Annotated[list[p.InvoiceDocumentAdjustment], _ENTRY_LIMIT] | None = None
    charges: Annotated[list[p.InvoiceDocumentAdjustment], _ENTRY_LIMIT] | None = None
    lines: Annotated[list[p.InvoiceLine], Field(min_length=1, max_length=MAX_LINES)]
    """MINIMUM and BASIC_WL do not carry lines, but totals are computed from them."""
    delivery: p.InvoiceDelivery | None = None
    payee: p.InvoicePayee | None = None
    tax_representative: p.InvoiceTaxRepresentative | None = None
    vat_exemptions: dict[k.VatCategory, p.InvoiceVatExemption] | None = None
    """By VAT category; needed for E, AE, K, G and O."""
    seller: p.InvoiceSeller
    buyer: p.InvoiceBuyer
    payment: p.InvoicePayment | None = None


class EInvoiceSpec(Model):
    """The e-invoice that a PDF carries: the PDF becomes a PDF/A-3."""

    profile: k.EInvoiceProfile
    invoice: Invoice | None = None
    invoice_path: (
        Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=DATA_PATH_PATTERN)]
        | None
    ) = None
    """Path of the invoice in `data`: object keys separated by dots."""
    syntax: Literal["cii"] = "cii"
    """A PDF carries CII only; `POST /v1/einvoices` makes UBL."""

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
