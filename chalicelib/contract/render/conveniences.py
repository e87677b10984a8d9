"""Requests of the convenience endpoints: a render request with flat input, output and delivery."""

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal, Self, override

from pydantic import Field, ValidationInfo, field_validator, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import TargetUrl
from chalicelib.contract.invoice.invoice import EInvoiceSpec
from chalicelib.contract.options import pdf as pdf_options
from chalicelib.contract.options_model import to_struct
from chalicelib.contract.render.output import HttpOptions, ImageOptions, OutputSpec
from chalicelib.contract.render.pdf import PdfOptions, check_hybrid_invoice
from chalicelib.contract.render.request import (
    CallOptions,
    DeliveryOptions,
    DeliverySpec,
    DeliveryType,
    HtmlInput,
    HtmlSource,
    PageOptions,
    RenderRequest,
    TemplateInput,
    TemplateSource,
    UrlInput,
    UrlSource,
    WebhookSpec,
)

type Input = HtmlInput | UrlInput | TemplateInput


class Convenience(PageOptions, DeliveryOptions, CallOptions, ABC):
    """Base class of the convenience requests; each is equivalent to one render request."""

    INPUT_TYPE: ClassVar[str]
    INPUT_MODEL: ClassVar[type[Model]]

    delivery: DeliveryType | None = None
    """How the files come: `url`, `binary`, `base64` or `none`, as `delivery.type` of `POST
    /v1/renders`. Null: `url` if the files are kept, else `none`."""
    webhook_url: TargetUrl | None = None
    """In place of `webhook`: an address that gets `render.succeeded` and `render.failed`."""

    @field_validator("webhook_url")
    @classmethod
    def _check_webhook_url(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is not None and info.data.get("webhook") is not None:
            message = "does not go with webhook: leave one of them out"
            raise ValueError(message)
        return url

    @abstractmethod
    def output_spec(self) -> OutputSpec:
        """Return the requested output."""

    def render_request(self) -> RenderRequest:
        """Return the equivalent render request; absent members stay absent."""
        render_input = {"type": self.INPUT_TYPE, **self._members_of(self.INPUT_MODEL)}
        members = {**self._members_of(PageOptions), **self._members_of(CallOptions)}
        delivery = self._members_of(DeliveryOptions)
        if self.delivery is not None:
            delivery["type"] = self.delivery
        if delivery:
            members["delivery"] = DeliverySpec.model_validate(delivery)
        if self.webhook_url is not None:
            members["webhook"] = WebhookSpec(url=self.webhook_url)
        return RenderRequest.model_validate(
            {"input": render_input, "output": self.output_spec(), **members}
        )

    def _members_of(self, model: type[Model]) -> dict[str, object]:
        """Return the members of a model that the request has."""
        return {
            name: getattr(self, name)
            for name in model.model_fields
            if name in self.model_fields_set
        }


class FileOutput(Model):
    """Output of one file."""

    filename: Annotated[str, Field(max_length=255)] | None = None
    """Name of the file; a template if the document is one; as `output.filename`. Null: the id of
    the render."""
    http: HttpOptions = HttpOptions()
    """User agent, and headers, cookies and credentials for a page of the web; as `output.http`."""

    def members(self, *names: str) -> dict[str, object]:
        """Return those of the members that the request has."""
        return {
            name: getattr(self, name)
            for name in ("filename", "http", *names)
            if name in self.model_fields_set
        }


class PdfOutput(FileOutput):
    """A PDF."""

    pdf: PdfOptions = PdfOptions()
    """Options of the PDF; as `output.pdf`."""
    einvoice: EInvoiceSpec | None = None
    """The PDF carries this e-invoice; as `output.einvoice`. Null turns off the e-invoice of the
    template's options."""

    @model_validator(mode="after")
    def _check_invoice(self) -> Self:
        if self.einvoice is not None:
            pdf = to_struct(self.pdf)
            assert isinstance(pdf, pdf_options.PdfOptions)
            check_hybrid_invoice(pdf)
        return self

    def output_spec(self) -> OutputSpec:
        """Return the requested output."""
        return OutputSpec.model_validate({"pdf": self.pdf, **self.members("einvoice")})


class ImageOutput(FileOutput):
    """A picture."""

    image: ImageOptions = ImageOptions()
    """Options of the picture; as `output.image`."""
    format: Literal["png", "jpeg", "webp"] = "png"
    """Format of the picture."""

    def output_spec(self) -> OutputSpec:
        """Return the requested output."""
        return OutputSpec.model_validate(
            {"format": self.format, "image": self.image, **self.members()}
        )


class _HtmlConvenience(HtmlSource):
    INPUT_TYPE: ClassVar[str] = "html"
    INPUT_MODEL: ClassVar[type[Model]] = HtmlSource


class _UrlConvenience(UrlSource):
    INPUT_TYPE: ClassVar[str] = "url"
    INPUT_MODEL: ClassVar[type[Model]] = UrlSource


class _TemplateConvenience(TemplateSource):
    INPUT_TYPE: ClassVar[str] = "template"
    INPUT_MODEL: ClassVar[type[Model]] = TemplateSource


class PdfFromHtml(_HtmlConvenience, PdfOutput, Convenience):
    """The body of `POST /v1/pdf/from-html`."""


class PdfFromUrl(_UrlConvenience, PdfOutput, Convenience):
    """The body of `POST /v1/pdf/from-url`."""


class PdfFromTemplate(_TemplateConvenience, PdfOutput, Convenience):
    """The body of `POST /v1/pdf/from-template`."""

    @override
    def output_spec(self) -> OutputSpec:
        """Return a PDF output, which overrides the template's own format."""
        return OutputSpec.model_validate(
            {"format": "pdf", "pdf": self.pdf, **self.members("einvoice")}
        )


class ImageFromHtml(_HtmlConvenience, ImageOutput, Convenience):
    """The body of `POST /v1/images/from-html`."""


class ImageFromUrl(_UrlConvenience, ImageOutput, Convenience):
    """The body of `POST /v1/images/from-url`."""


class ImageFromTemplate(_TemplateConvenience, ImageOutput, Convenience):
    """The body of `POST /v1/images/from-template`."""
