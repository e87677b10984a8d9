"""Output of a render: formats and their options (OutputSpec)."""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import HTTP_NAME_PATTERN, check_language_tag, check_time_zone
from chalicelib.contract.invoice.invoice import EInvoiceSpec
from chalicelib.contract.options import image
from chalicelib.contract.options.output import OutputFormat, OutputOptions, PartFormat, WarningCode
from chalicelib.contract.render.pdf import PdfOptions
from chalicelib.contract.render.pdf_conformance import check_einvoice_formats
from chalicelib.contract.validation import to_service_error
from chalicelib.core import json
from chalicelib.core.json import JsonObject

# The defaults stand in the typed options; here they are checked and documented.
_OUTPUT: Final = OutputOptions()
_VIEWPORT: Final = image.Viewport()
_WAIT: Final = image.Wait()
_FIRST_PRINTABLE: Final = 0x20
_DELETE: Final = 0x7F


def _check_no_line_breaks(text: str) -> str:
    if any(character in text for character in "\r\n\0"):
        message = "must have no line breaks"
        raise ValueError(message)
    return text


FailOn = Annotated[
    list[WarningCode],
    Field(
        max_length=50,
        description="Codes of warnings that must not be: a render that has one of them fails with "
        "`render_failed`, which names it. A failed render is not billed. `storage_upload_failed` "
        "comes after the render has ended.",
    ),
]
HeaderName = Annotated[
    str, StringConstraints(min_length=1, max_length=256, pattern=HTTP_NAME_PATTERN)
]
HeaderValue = Annotated[
    str, StringConstraints(max_length=8192), AfterValidator(_check_no_line_breaks)
]


def _check_cookie_text(text: str) -> str:
    """Check what a cookie may hold (RFC 6265bis 5.6): browsers refuse it whole otherwise."""
    if ";" in text or any(ord(each) < _FIRST_PRINTABLE or ord(each) == _DELETE for each in text):
        message = "must have no ; and no control characters: encode them, such as ; by %3B"
        raise ValueError(message)
    if text != text.strip(" "):
        message = "must neither begin nor end with a blank"
        raise ValueError(message)
    return text


def _check_cookie_name(name: str) -> str:
    if "=" in name:
        message = "must have no ="
        raise ValueError(message)
    return name


class Cookie(Model):
    """A cookie for the page's own origin alone; `domain` is its host or one above that."""

    name: Annotated[
        str,
        StringConstraints(min_length=1, max_length=256),
        AfterValidator(_check_cookie_text),
        AfterValidator(_check_cookie_name),
    ]
    value: Annotated[str, StringConstraints(max_length=4096), AfterValidator(_check_cookie_text)]
    domain: (
        Annotated[str, StringConstraints(max_length=253), AfterValidator(_check_cookie_text)] | None
    ) = None
    path: (
        Annotated[
            str,
            StringConstraints(max_length=1024),
            AfterValidator(_check_cookie_text),
        ]
        | None
    ) = None
    secure: bool | None = None
    http_only: bool | None = None


class BasicAuth(Model):
    """Credentials of HTTP Basic authentication."""

    username: Annotated[str, StringConstraints(max_length=256)]
    password: Annotated[str, StringConstraints(max_length=1024)]


class HttpOptions(Model):
    """Headers and credentials; they are sent to the page's own origin only."""

    headers: Annotated[dict[HeaderName, HeaderValue], Field(max_length=50)] | None = None
    cookies: Annotated[list[Cookie], Field(max_length=50)] | None = None
    basic_auth: BasicAuth | None = None
    user_agent: (
        Annotated[str, StringConstraints(max_length=512), AfterValidator(_check_no_line_breaks)]
        | None
    ) = None


class FormatOptions(Model):
    """Compression of a picture; an option that the format does not have gives a warning."""

    quality: Annotated[int, Field(ge=1, le=100)] | None = None
    """For `jpeg` and for `webp` that is not lossless; 90 by default. A `jpeg` of 90 and more keeps
    the edges of coloured text."""
    lossless: bool | None = None
    """For `webp`."""
    progressive: bool | None = None
    """For `jpeg`."""


class Viewport(Model):
    """The window that the page sees while it is laid out."""

    width: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Null: the width of the content of a page for PDF, and 1280 for pictures."""
    height: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Null: the height of the content of a page for PDF without `width`, else 720."""
    device_scale_factor: Annotated[float, Field(ge=1, le=3)] = _VIEWPORT.device_scale_factor
    mobile: bool = _VIEWPORT.mobile


class Wait(Model):
    """Conditions to wait for before the page is printed; fonts and images are always awaited."""

    until: Literal["load", "domcontentloaded", "networkidle"] = _WAIT.until
    selector: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    expression: Annotated[str, StringConstraints(min_length=1, max_length=10_000)] | None = None
    """JavaScript that must become truthy."""
    delay_ms: Annotated[int, Field(ge=0, le=10_000)] = _WAIT.delay_ms
    """Time after all other conditions. With this, a selector or an expression, animations are drawn
    as they stand; without, at their end."""
    timeout_ms: Annotated[int, Field(ge=100, le=60_000)] = _WAIT.timeout_ms
    """For everything but the delay, which is added to it."""


class ImageOptions(Model):
    """Options of a picture."""

    width: Annotated[int, Field(ge=1, le=10_000)] | None = None
    height: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """With `width`: the size of the picture in CSS pixels. Without `fit` the page is laid out in
    this size."""
    scale: Annotated[float, Field(ge=1, le=3)] | None = None
    """Device pixels for one CSS pixel."""
    fit: Literal["contain", "cover", "fill"] | None = None
    """How a picture of another shape is brought to `width` and `height`: with bars, cut, or
    stretched; ignored, with a warning, unless both are given."""
    full_page: bool | None = None
    """The whole document instead of the viewport."""
    omit_background: bool | None = None
    """No white behind the page; the same as `transparent`. A `jpeg` stays white."""
    transparent: bool | None = None
    clip_selector: Annotated[str, StringConstraints(min_length=1, max_length=500)] | None = None
    """A CSS selector: only the first element that it finds is in the picture."""
    format_options: FormatOptions | None = None
    viewport: Viewport | None = None
    """Takes precedence over `output.viewport`."""
    wait: Wait | None = None
    """Takes precedence over `output.wait`."""


class OutputSpec(Model):
    """The files to make."""

    format: OutputFormat | None = None
    """`pdf` if neither this nor `formats` is given. `zip` holds the files of `formats`. `html` is
    the page's document as it stands after its waits, without its scripts, event handlers and
    frames. `xml` is the XML of the e-invoice alone."""
    formats: Annotated[list[PartFormat], Field(min_length=1, max_length=6)] | None = None
    """Several files of one page, which is loaded once. `xml` is the XML of the e-invoice."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """A template if the document is one. Characters that file systems refuse are removed; the
    extension follows the format."""
    pdf: PdfOptions = PdfOptions()
    einvoice: EInvoiceSpec | None = None
    """The PDF carries this e-invoice and is PDF/A-3b, or the level of part 3 in `pdf.pdfa`.
    Templates see it as `invoice`, with computed totals and net amounts. Null turns off the
    e-invoice of the template's options."""
    image: ImageOptions = ImageOptions()
    http: HttpOptions = HttpOptions()
    viewport: Viewport | None = None
    """The window that the page is laid out in; by default as wide as the content of a page for PDF,
    and 1280 x 720 for pictures."""
    wait: Wait = Wait()
    media: Literal["print", "screen"] | None = None
    """The CSS media type; by default `print` for PDF and `screen` for images."""
    javascript: bool = _OUTPUT.javascript
    locale: Annotated[str, AfterValidator(check_language_tag)] | None = None
    """A BCP 47 tag, such as `de-AT`: what the page sees as the reader's language."""
    timezone: Annotated[str, AfterValidator(check_time_zone)] | None = None
    """An IANA name, such as `Europe/Vienna`."""
    strict_undefined: bool = _OUTPUT.strict_undefined
    """An undefined value in the template is an error instead of nothing."""
    asset_policy: Literal["lenient", "strict"] = _OUTPUT.asset_policy
    """A resource of the page that cannot be loaded gives a warning (`lenient`), or the render fails
    (`strict`)."""
    fail_on: FailOn = Field(default=[])

    @model_validator(mode="after")
    def _check_formats(self) -> Self:
        formats = self.formats or []
        if len(set(formats)) != len(formats):
            message = "formats must not name one twice"
            raise ValueError(message)
        if formats and self.format not in {None, "zip"}:
            message = "format goes with formats only where it is zip"
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _check_conformance(self) -> Self:
        formats = self.formats or ("pdf" if self.format in {None, "zip"} else self.format,)
        if "pdf" not in formats and (self.pdf.pdfa is not None or self.pdf.pdfua):
            message = "pdf.pdfa and pdf.pdfua need pdf among the formats"
            raise ValueError(message)
        if self.einvoice is not None:
            check_einvoice_formats(self.pdf, formats)
        return self


def complete_output(partial_output: JsonObject) -> OutputOptions:
    """Return the options of a partial OutputSpec; raise `validation_error` below `/output`."""
    try:
        output = OutputSpec.model_validate_json(json.dumps(partial_output))
    except ValidationError as error:
        raise to_service_error(error, partial_output, "/output") from None
    return output_options(output)


def output_options(output: OutputSpec) -> OutputOptions:
    """Return the typed options of a valid OutputSpec."""
    return OutputOptions.from_json(output.model_dump(mode="json"))
