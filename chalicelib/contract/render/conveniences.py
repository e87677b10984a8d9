"""The convenience endpoints' requests: the render request with its input and output flattened."""

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
    """What they have in common: each stands for one render request."""

    INPUT_TYPE: ClassVar[str]
    INPUT_MODEL: ClassVar[type[Model]]

    @abstractmethod
    def output_spec(self) -> OutputSpec:
        """Return the output that is asked for."""

    def render_request(self) -> RenderRequest:
        """Return the render request that this one stands for."""
        said = {name: getattr(self, name) for name in self.model_fields_set}
        source = {name: said[name] for name in self.INPUT_MODEL.model_fields if name in said}
        options = {name: said[name] for name in RenderOptions.model_fields if name in said}
        wanted = {"type": self.INPUT_TYPE, **source}
        return RenderRequest.model_validate(
            {"input": wanted, "output": self.output_spec(), **options}
        )


class PdfOutput(Model):
    """A PDF."""

    pdf: PdfOptions = PdfOptions()

    def output_spec(self) -> OutputSpec:
        """Return the output that is asked for."""
        return OutputSpec(pdf=self.pdf)


class ImageOutput(Model):
    """A picture."""

    image: ImageOptions = ImageOptions()
    format: Literal["png", "jpeg", "webp"] = "png"

    def output_spec(self) -> OutputSpec:
        """Return the output that is asked for."""
        return OutputSpec(format=self.format, image=self.image)


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
    """What `POST /v1/pdf/html` takes."""


class PdfFromUrl(_UrlConvenience, PdfOutput, Convenience):
    """What `POST /v1/pdf/url` takes."""


class PdfFromTemplate(_TemplateConvenience, PdfOutput, Convenience):
    """What `POST /v1/pdf/template` takes."""

    @override
    def output_spec(self) -> OutputSpec:
        """Return the output that is asked for, whatever the template's own format."""
        return OutputSpec(format="pdf", pdf=self.pdf)


class ImageFromHtml(_HtmlConvenience, ImageOutput, Convenience):
    """What `POST /v1/images/html` takes."""


class ImageFromUrl(_UrlConvenience, ImageOutput, Convenience):
    """What `POST /v1/images/url` takes."""


class ImageFromTemplate(_TemplateConvenience, ImageOutput, Convenience):
    """What `POST /v1/images/template` takes."""
