"""What a template says of its output where a request does not (its `options`)."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import check_language_tag, check_time_zone
from chalicelib.contract.render.output import ImageOptions, OutputFormat, Viewport, Wait
from chalicelib.contract.render.pdf import PdfOptions
from chalicelib.contract.render.pdf_conformance import check_hybrid_invoice

Recipient = Annotated[str, StringConstraints(min_length=1, max_length=512)]
CopyRecipients = Annotated[list[Recipient], Field(max_length=50)]


def _check_false(value: bool) -> bool:  # noqa: FBT001 -- pydantic calls it
    if value:
        message = "must be false or a list of rules"
        raise ValueError(message)
    return value


class EInvoiceDefault(Model):
    """The invoice that is embedded where a request has no `output.einvoice`."""

    profile: Literal["MINIMUM", "BASIC_WL", "BASIC", "EN16931", "EXTENDED", "XRECHNUNG"]
    invoice_path: Annotated[
        str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^.]+(?:\.[^.]+)*$")
    ]
    """Where the invoice stands in `data`: object keys with dots between them."""


class EmailTarget(Model):
    """One of the template's email rules, and who gets its email in place of the rule's own."""

    rule_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    to: Annotated[list[Recipient], Field(min_length=1, max_length=50)] | None = None
    cc: CopyRecipients | None = None
    bcc: CopyRecipients | None = None


class TemplateOptions(Model):
    """The template's defaults for `output`. A request wins member by member; null says nothing.

    But null turns off `einvoice` and `pdf.pdfa`. Where a request asks for no PDF, `pdf.pdfa` and
    `pdf.pdfua` are left out.
    """

    output_format: OutputFormat | None = None
    """`output.format` where a request names neither `format` nor `formats`."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """A template over the data."""
    pdf: PdfOptions | None = None
    """Lists, `watermark` and `protection` are taken whole, from here or from the request. Uploads
    cannot be named: they go away after a day."""
    image: ImageOptions | None = None
    viewport: Viewport | None = None
    wait: Wait | None = None
    media: Literal["print", "screen"] | None = None
    javascript: bool | None = None
    locale: Annotated[str, AfterValidator(check_language_tag)] | None = None
    timezone: Annotated[str, AfterValidator(check_time_zone)] | None = None
    strict_undefined: bool | None = None
    """An undefined value is an error instead of nothing."""
    asset_policy: Literal["lenient", "strict"] | None = None
    einvoice: EInvoiceDefault | None = None
    """The PDF carries this e-invoice where the plan has e-invoices; where it does not, or no PDF
    is asked for, its totals are computed all the same. A request's `output.einvoice` stands for the
    whole, and null turns it off."""
    email: (
        Annotated[bool, AfterValidator(_check_false)]
        | Annotated[list[EmailTarget], Field(min_length=1, max_length=5)]
        | None
    ) = None
    """As `delivery.email`: false for none, or the rules that send. Kept for email, which is not
    offered yet."""

    @model_validator(mode="after")
    def _check_hybrid_invoice(self) -> Self:
        if self.einvoice is not None and self.pdf is not None:
            check_hybrid_invoice(self.pdf, has_pdf=True)
        return self
