"""Conformance report of a document, and the totals of an invoice."""

from typing import Literal

from chalicelib.contract.base import Model
from chalicelib.contract.invoice.field_types import ValidatedProfile
from chalicelib.contract.options.pdf import PdfALevel

ReportStatus = Literal["passed", "failed", "unavailable"]


class Finding(Model):
    """A rule that a document breaks, or another observation about it."""

    rule: str
    """Its id in the standard, or one of the service's own (`PLT-…`)."""
    message: str
    location: str
    """A JSON path into the invoice if no XML was written yet, else the validator's own location or
    a CSS selector. Empty: the whole document."""
    path: str | None
    """The JSON path into the invoice, if it is known."""
    count: int
    """How many times the rule is broken at this place."""


class PdfReport(Model):
    """The verdict on a standard of PDFs."""

    status: ReportStatus
    """`unavailable`: the validators gave no verdict."""
    validator: str | None
    """Name and version of the validator; null if it did not run."""
    errors: list[Finding]
    """At most 100."""
    warnings: list[Finding]
    """At most 100."""


class PdfaReport(PdfReport):
    """The verdict on PDF/A."""

    level: PdfALevel
    """Part and level that the document was checked against."""


class PdfuaReport(PdfReport):
    """The verdict on PDF/UA."""

    standard: Literal["PDF/UA-1"]


class EInvoiceReport(Model):
    """The verdict on an e-invoice."""

    profile: ValidatedProfile | None
    """The profile that the guideline of the document (BT-24) names; null if there are no rules for
    it."""
    syntax: Literal["cii", "ubl"] | None
    """Null if the document is not an invoice."""
    status: ReportStatus
    """`unavailable`: the validators gave no verdict."""
    validator: str | None
    """Name and version of the validator; null if it did not run."""
    scenario: str | None
    """The rule set that the validator applied."""
    errors: list[Finding]
    """At most 100."""
    warnings: list[Finding]
    """At most 100."""


class ConformanceReport(Model):
    """The verdicts of the requested checks."""

    einvoice: EInvoiceReport | None = None
    pdfa: PdfaReport | None = None
    pdfua: PdfuaReport | None = None


class DocumentMetadata(Model):
    """Metadata of a PDF, by its Info dictionary or else by its XMP; null for absent ones."""

    title: str | None
    author: str | None
    subject: str | None
    keywords: list[str]
    """At most 100."""
    language: str | None
    creator: str | None
    """The program that the document was written with."""
    producer: str | None
    """The program that made the PDF."""
    created_at: str | None
    modified_at: str | None


class RenderResult(Model):
    """Results of the checks of the document, or what it says of itself."""

    conformance: ConformanceReport | None = None
    metadata: DocumentMetadata | None = None
    """Of the PDF tool `metadata` without `set`, which also answers `pages` and `encrypted`."""
    pages: int | None = None
    encrypted: bool | None = None
    """Whether the document is protected."""


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
    """The computed totals of an invoice, as decimals in its currency."""

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
    """At most 1 000 entries; absent if it is too large to be stored with the render."""
