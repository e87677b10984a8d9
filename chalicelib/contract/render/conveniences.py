"""Requests of the convenience endpoints: a render request with flat input and output."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, override

from chalicelib.contract.base import Model
from chalicelib.contract.render.output import ImageOptions, OutputSpec
from chalicelib.contract.render.pdf import PdfOptions
from chalicelib.contract.render.request import (
    HtmlInput,
    HtmlSource,
    RenderOptions,
    RenderRequest,
    TemplateInput,
    TemplateSource,
    UrlInput,
    UrlSource,
)

type Input = HtmlInput | UrlInput | TemplateInput


class Convenience(RenderOptions, ABC):
    """Base class of the convenience requests; each is equivalent to one render request."""

    INPUT_TYPE: ClassVar[str]
    INPUT_MODEL: ClassVar[type[Model]]

    @abstractmethod
    def output_spec(self) -> OutputSpec:
        """Return the requested output."""

    def render_request(self) -> RenderRequest:
        """Return the equivalent render request; absent members stay absent."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        source = {name: given[name] for name in self.INPUT_MODEL.model_fields if name in given}
        options = {name: given[name] for name in RenderOptions.model_fields if name in given}
        render_input = {"type": self.INPUT_TYPE, **source}
        return RenderRequest.model_validate(
            {"input": render_input, "output": self.output_spec(), **options}
        )


class PdfOutput(Model):
    """A PDF."""

    pdf: PdfOptions = PdfOptions()

    def output_spec(self) -> OutputSpec:
        """Return the requested output."""
        return OutputSpec.model_validate({"pdf": self.pdf})


class ImageOutput(Model):
    """A picture."""

    image: ImageOptions = ImageOptions()
    format: Literal["png", "jpeg", "webp"] = "png"

    def output_spec(self) -> OutputSpec:
        """Return the requested output."""
        return OutputSpec.model_validate({"format": self.format, "image": self.image})


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
        return OutputSpec.model_validate({"format": "pdf", "pdf": self.pdf})


class ImageFromHtml(_HtmlConvenience, ImageOutput, Convenience):
    """The body of `POST /v1/images/from-html`."""


class ImageFromUrl(_UrlConvenience, ImageOutput, Convenience):
    """The body of `POST /v1/images/from-url`."""


class ImageFromTemplate(_TemplateConvenience, ImageOutput, Convenience):
    """The body of `POST /v1/images/from-template`."""
