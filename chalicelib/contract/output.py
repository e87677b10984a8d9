"""What comes out of a render: formats and their options (OutputSpec)."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.conformance import check_hybrid
from chalicelib.contract.http import HttpOptions
from chalicelib.contract.image import ImageOptions, Viewport, Wait
from chalicelib.contract.invoice import EInvoiceSpec
from chalicelib.contract.pdf import PdfOptions
from chalicelib.contract.values import language_tag, time_zone

OutputFormat = Literal["pdf", "png", "jpeg", "webp", "html", "zip"]
PartFormat = Literal["pdf", "png", "jpeg", "webp", "html", "xml"]


class OutputSpec(Model):
    """The files that are asked for."""

    format: OutputFormat | None = None
    """`pdf` where neither this nor `formats` is given. `zip` holds the files of `formats`.
    `html` is the page's document as it stands after its waits, without its scripts, event handlers
    and frames."""
    formats: Annotated[list[PartFormat], Field(min_length=1, max_length=6)] | None = None
    """Several files of one page, which is loaded once. `xml` is that of the e-invoice."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """A template where the document is one. Cleaned of what file systems refuse; its extension
    follows the format."""
    pdf: PdfOptions = PdfOptions()
    einvoice: EInvoiceSpec | None = None
    """The PDF carries this e-invoice and is PDF/A-3b, or what of part 3 `pdf.pdfa` says. The
    document's templates have it as `invoice`, its totals and net amounts computed. Null turns off
    the one of the template's options."""
    image: ImageOptions = ImageOptions()
    http: HttpOptions = HttpOptions()
    viewport: Viewport | None = None
    wait: Wait = Wait()
    media: Literal["print", "screen"] | None = None
    """The CSS media type; `print` for PDF and `screen` for images where it is absent."""
    javascript: bool = True
    locale: Annotated[str, AfterValidator(language_tag)] | None = None
    """A BCP 47 tag, such as `de-AT`: what the page sees as the reader's language."""
    timezone: Annotated[str, AfterValidator(time_zone)] | None = None
    """An IANA name, such as `Europe/Vienna`."""
    strict_undefined: bool = False
    """An undefined value in the template is an error instead of nothing."""
    asset_policy: Literal["lenient", "strict"] = "lenient"
    """What becomes of a render whose page asks for something that cannot be loaded: a warning, or
    an error."""

    @model_validator(mode="after")
    def _formats_fit(self) -> Self:
        formats = self.formats or []
        if len(set(formats)) != len(formats):
            message = "formats must not name one twice"
            raise ValueError(message)
        if formats and self.format not in {None, "zip"}:
            message = "format goes with formats only where it is zip"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _conforms(self) -> Self:
        drawn = "pdf" in self.formats if self.formats else self.format in {None, "pdf", "zip"}
        if not drawn and (self.pdf.pdfa is not None or self.pdf.pdfua):
            message = "pdf.pdfa and pdf.pdfua need pdf among the formats"
            raise ValueError(message)
        if self.einvoice is not None:
            check_hybrid(self.pdf, drawn=drawn)
        return self
