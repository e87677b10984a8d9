"""Options of a template: defaults for the output of its renders."""

from typing import Annotated, Literal, Self

from pydantic import StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.emails.target import EmailTargets
from chalicelib.contract.field_types import DATA_PATH_PATTERN, LanguageTag, TimeZone
from chalicelib.contract.options import pdf
from chalicelib.contract.options.output import OutputFormat
from chalicelib.contract.render.output import FailOn, ImageOptions, Viewport, Wait
from chalicelib.contract.render.pdf import PdfOptions, check_hybrid_invoice


class EInvoiceDefault(Model):
    """The e-invoice of a render whose request has no `output.einvoice`."""

    profile: Literal["MINIMUM", "BASIC_WL", "BASIC", "EN16931", "EXTENDED", "XRECHNUNG"]
    """The profile, which decides what the invoice must have."""
    invoice_path: Annotated[
        str, StringConstraints(min_length=1, max_length=200, pattern=DATA_PATH_PATTERN)
    ]
    """Path of the invoice in `data`: object keys separated by dots, such as `order.invoice`."""


class TemplateOptions(Model):
    """The template's defaults for `output`. A request overrides them by member; null is unset.

    Exception: null in a request turns off `einvoice` and `pdf.pdfa`. In a render without a PDF,
    `pdf`, header and footer are left out; in one without a picture, `image`.
    """

    output_format: OutputFormat | None = None
    """Format of the files if a request names neither `format` nor `formats`."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """Name of the file, a template that is run over the data; as `output.filename`."""
    pdf: PdfOptions | None = None
    """Options of a PDF; as `output.pdf`. Lists, `watermark` and `protection` are not merged: those
    of a request replace them. Uploads cannot be used, because they are deleted after a day."""
    image: ImageOptions | None = None
    """Options of a picture; as `output.image`."""
    viewport: Viewport | None = None
    """The window that the page is laid out in; as `output.viewport`."""
    wait: Wait | None = None
    """What to wait for before the page is drawn; as `output.wait`."""
    media: Literal["print", "screen"] | None = None
    """The CSS media type; as `output.media`."""
    javascript: bool | None = None
    """Run the scripts of the page; as `output.javascript`."""
    locale: LanguageTag | None = None
    """What the page sees as the reader's language: a BCP 47 tag, such as `de-AT`."""
    timezone: TimeZone | None = None
    """Time zone of the page: an IANA name, such as `Europe/Vienna`."""
    strict_undefined: bool | None = None
    """An undefined value is an error instead of nothing; as `output.strict_undefined`."""
    asset_policy: Literal["lenient", "strict"] | None = None
    """What becomes of a render whose page cannot load a resource: a warning (`lenient`), or a
    failure (`strict`)."""
    fail_on: FailOn | None = None
    """Codes of warnings that must not be; as `output.fail_on`. The list of a request replaces it;
    an empty one lets every warning pass."""
    einvoice: EInvoiceDefault | None = None
    """The PDF carries this e-invoice, and `xml` is it, if the plan includes e-invoices. If not, or
    in a render without these formats, only its totals are computed. A request's `output.einvoice`
    replaces it as a whole; null turns it off."""
    email: EmailTargets | None = None
    """As `delivery.email`, for renders whose request has none: false for no email, or the rules
    that send. A rule that is off, or of another template, does not."""

    @model_validator(mode="after")
    def _check_hybrid_invoice(self) -> Self:
        if self.einvoice is not None and self.pdf is not None:
            check_hybrid_invoice(pdf.PdfOptions.from_json(self.pdf.model_dump(mode="json")))
        return self
