"""What is told of a document that claims to follow a standard, and of an invoice's amounts."""

from typing import Literal

from chalicelib.contract.base import Model
from chalicelib.contract.invoice.field_types import EInvoiceProfile

ReportStatus = Literal["passed", "failed", "unavailable"]


class Finding(Model):
    """A rule that a document breaks, or what else is to be told of it."""

    rule: str
    """Its id in the standard, or one of the service's own (`PLT-…`)."""
    message: str
    location: str
    """A JSON path into the invoice where no XML was written yet, else the validator's own place or
    a CSS selector; empty where the whole document is meant."""
    path: str | None
    """The JSON path into the invoice, where it is known."""
    count: int
    """How many times the rule is broken at this place."""


class PdfReport(Model):
    """The verdict on PDF/A or PDF/UA."""

    profile: str
    status: ReportStatus
    """`unavailable`: the validators gave no verdict."""
    validator: str | None
    """Which one it was; null where it did not run."""
    errors: list[Finding]
    """At most 100."""
    warnings: list[Finding]
    """At most 100."""


class EInvoiceReport(Model):
    """The verdict on an e-invoice."""

    profile: EInvoiceProfile | None
    """Null where no rules are known for it."""
    syntax: Literal["cii", "ubl"] | None
    """Null where a document is no invoice."""
    status: ReportStatus
    """`unavailable`: the validators gave no verdict."""
    validator: str | None
    """Which one it was; null where it did not run."""
    scenario: str | None
    """What the validator took the document for."""
    errors: list[Finding]
    """At most 100."""
    warnings: list[Finding]
    """At most 100."""


class ConformanceReport(Model):
    """The verdicts that were asked for."""

    einvoice: EInvoiceReport | None = None
    pdfa: PdfReport | None = None
    pdfua: PdfReport | None = None


class RenderResult(Model):
    """What was found out about the document."""

    conformance: ConformanceReport


class VatBreakdown(Model):
    """The amounts of one VAT category at one rate, as decimals."""

    category: str
    rate: str | None = None
    """Absent for the category O."""
    taxable_amount: str
    tax_amount: str
    exemption_reason: str | None = None
    exemption_reason_code: str | None = None


class InvoiceTotals(Model):
    """What was computed of an invoice, as decimals in its currency."""

    line_total: str
    allowance_total: str
    charge_total: str
    tax_basis_total: str
    tax_total: str
    grand_total: str
    prepaid_amount: str
    rounding_amount: str
    due_amount: str
    vat_breakdown: list[VatBreakdown] | None = None
    """At most 1000; absent where there is no room for it beside what else is kept."""
