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
    """What is wrong, for people."""
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
    """Whether the document passed. `unavailable`: the validators gave no verdict."""
    validator: str | None
    """Name and version of the validator; null if it did not run."""
    errors: list[Finding]
    """What breaks the standard; at most 100."""
    warnings: list[Finding]
    """Other observations; at most 100."""


class PdfaReport(PdfReport):
    """The verdict on PDF/A."""

    level: PdfALevel
    """Part and level that the document was checked against."""


class PdfuaReport(PdfReport):
    """The verdict on PDF/UA."""

    standard: Literal["PDF/UA-1"]
    """The standard that the document was checked against."""


class EInvoiceReport(Model):
    """The verdict on an e-invoice."""

    profile: ValidatedProfile | None
    """The profile that the guideline of the document (BT-24) names; null if there are no rules for
    it."""
    syntax: Literal["cii", "ubl"] | None
    """Syntax of the XML; null if the document is not an invoice."""
    status: ReportStatus
    """Whether the invoice passed. `unavailable`: the validators gave no verdict."""
    validator: str | None
    """Name and version of the validator; null if it did not run."""
    scenario: str | None
    """The rule set that the validator applied; null if none did."""
    errors: list[Finding]
    """Rules that the invoice breaks; at most 100."""
    warnings: list[Finding]
    """Other observations; at most 100."""


class ConformanceReport(Model):
    """The verdicts of the requested checks."""

    einvoice: EInvoiceReport | None = None
    """The verdict on the e-invoice; absent without one."""
    pdfa: PdfaReport | None = None
    """The verdict on PDF/A; absent if it was not checked."""
    pdfua: PdfuaReport | None = None
    """The verdict on PDF/UA; absent if it was not checked."""


class DocumentMetadata(Model):
    """Metadata of a PDF, by its Info dictionary or else by its XMP; null for absent ones."""

    title: str | None
    """Title."""
    author: str | None
    """Author."""
    subject: str | None
    """Subject."""
    keywords: list[str]
    """Keywords; at most 100."""
    language: str | None
    """Language, such as `de-AT`."""
    creator: str | None
    """The program that the document was written with."""
    producer: str | None
    """The program that made the PDF."""
    created_at: str | None
    """When the document says that it was created."""
    modified_at: str | None
    """When the document says that it was last changed."""


class RenderResult(Model):
    """Results of the checks of the document, or what it says of itself."""

    conformance: ConformanceReport | None = None
    """Verdicts of the checks; absent if nothing was checked."""
    metadata: DocumentMetadata | None = None
    """Of the PDF tool `metadata` without `set`, which also answers `pages` and `encrypted`."""
    pages: int | None = None
    """Number of pages; absent for all but the PDF tool `metadata`."""
    encrypted: bool | None = None
    """Whether the document is protected; absent for all but the PDF tool `metadata`."""


class VatBreakdown(Model):
    """The amounts of one VAT category at one rate, as decimals."""

    category: str
    """VAT category of UNTDID 5305 (BT-118)."""
    rate: str | None = None
    """Rate in percent (BT-119); absent for the category O."""
    taxable_amount: str
    """Amount that is taxed (BT-116)."""
    tax_amount: str
    """VAT (BT-117)."""
    exemption_reason: str | None = None
    """Why there is no VAT, in words (BT-120)."""
    exemption_reason_code: str | None = None
    """Why there is no VAT, as a code (BT-121)."""


class InvoiceTotals(Model):
    """The computed totals of an invoice, as decimals in its currency."""

    line_total: str
    """Sum of the lines' net amounts (BT-106)."""
    allowance_total: str
    """Sum of the document's allowances (BT-107)."""
    charge_total: str
    """Sum of the document's charges (BT-108)."""
    tax_basis_total: str
    """Total without VAT (BT-109)."""
    tax_total: str
    """Total of VAT (BT-110)."""
    grand_total: str
    """Total with VAT (BT-112)."""
    prepaid_amount: str
    """Amount that was paid already (BT-113)."""
    rounding_amount: str
    """Amount by which the total is rounded (BT-114)."""
    due_amount: str
    """Amount due (BT-115)."""
    vat_breakdown: list[VatBreakdown] | None = None
    """Amounts by VAT category and rate (BG-23), at most 1 000 entries; absent if it is too large to
    be stored with the render."""
