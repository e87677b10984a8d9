"""Layers of a canvas; lengths are in pixels, angles in degrees clockwise."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Color
from chalicelib.contract.template import layer_constraints

Coordinate = Annotated[float, Field(ge=-100_000, le=100_000, allow_inf_nan=False)]
PixelLength = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]
LayerText = Annotated[str, StringConstraints(max_length=layer_constraints.MAX_TEXT_CHARACTERS)]


def _check_font_families(text: str) -> str:
    if layer_constraints.FONT_FAMILIES.fullmatch(text) is None:
        message = "must be names of fonts with commas between them, without quotes"
        raise ValueError(message)
    return text


def _check_image_source(text: str) -> str:
    if not layer_constraints.is_image_source(text):
        message = "must be an https URL, upload:<id>, or a data URI of a picture"
        raise ValueError(message)
    return text


class _Layer(Model):
    """Members of every layer."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    x: Coordinate = 0
    y: Coordinate = 0
    rotation: Annotated[float, Field(ge=-3600, le=3600, allow_inf_nan=False)] = 0
    """Degrees clockwise around the middle of the layer."""
    opacity: Annotated[float, Field(ge=0, le=1)] = 1
    visible: bool = True
    bind: Annotated[str, StringConstraints(min_length=1, max_length=10_000)] | None = None
    """A dotted path into the data; in `text`, `qrcode` and `barcode` also a template. It sets the
    `text`, `src`, `value` or `svg` of the layer, the `fill` of `rect` and `ellipse`, the `stroke`
    of `line`, or whether a `group` is `visible`."""
    required: bool = False
    """Data without the bound value are refused."""
    fallback: str | float | bool | None = None
    """Shown if the data have no usable value; without a fallback, the layer shows its own value."""
    alt: Annotated[str, StringConstraints(max_length=2_000)] | None = None
    """Alternative text of a picture or shape; a group that has one is read as one picture. A code
    without it is read by its value, text as it is."""
    decorative: bool = False
    """Assistive technology skips the layer in a PDF."""

    @model_validator(mode="after")
    def _check_bind(self) -> Self:
        type_: str = getattr(self, "type")  # noqa: B009 -- each kind of layer has its own
        if self.bind is None:
            if self.required or self.fallback is not None:
                message = "required and fallback go with bind"
                raise ValueError(message)
            return self
        is_template = type_ in layer_constraints.TEMPLATED_TYPES and "{" in self.bind
        if not is_template and layer_constraints.BIND_PATH.fullmatch(self.bind) is None:
            message = "bind must be a dotted path into the data, such as customer.name"
            raise ValueError(message)
        if self.fallback is not None and not layer_constraints.is_bindable(type_, self.fallback):
            message = f"fallback is no {layer_constraints.BIND_TARGETS[type_]} of a {type_} layer"
            raise ValueError(message)
        return self


class _Box(_Layer):
    width: PixelLength
    height: PixelLength


class _Shape(_Box):
    fill: Color | None = None
    stroke: Color | None = None
    stroke_width: PixelLength = 1
    """The stroke lies inside the layer's box."""
    radius: PixelLength = 0


class RectLayer(_Shape):
    """A rectangle; `radius` rounds its corners."""

    type: Literal["rect"]


class EllipseLayer(_Shape):
    """An ellipse that fills its box; `radius` is ignored."""

    type: Literal["ellipse"]


class LineLayer(_Layer):
    """A line from (x, y) to (x + width, y + height)."""

    type: Literal["line"]
    width: Coordinate = 0
    height: Coordinate = 0
    stroke: Color = "#000000"
    stroke_width: PixelLength = 1


class TextLayer(_Box):
    """Text that is fitted into its box."""

    type: Literal["text"]
    text: LayerText = ""
    font_family: Annotated[str, AfterValidator(_check_font_families)] = "sans-serif"
    font_size: Annotated[float, Field(ge=1, le=2_000)] = 16
    font_weight: Annotated[int, Field(ge=1, le=1_000)] | Literal["normal", "bold"] = "normal"
    font_style: Literal["normal", "italic"] = "normal"
    color: Color = "#000000"
    align: Literal["left", "center", "right", "justify"] = "left"
    vertical_align: Literal["top", "middle", "bottom"] = "top"
    line_height: Annotated[float, Field(ge=0.5, le=5)] = 1.2
    """As a multiple of the font size."""
    letter_spacing: Annotated[float, Field(ge=-100, le=100)] = 0
    overflow: Literal["clip", "ellipsis", "shrink"] = "clip"
    """For text that does not fit its box. `shrink`: a smaller font size, down to a quarter of
    `font_size`."""


class ImageLayer(_Box):
    """A picture."""

    type: Literal["image"]
    src: Annotated[str, AfterValidator(_check_image_source)] | None = None
    """An https URL, `upload:<id>` or a data URI."""
    fit: Literal["contain", "cover", "fill"] = "contain"


class QrCodeLayer(_Box):
    """A QR code, square in the middle of its box; on a background it has its quiet zone."""

    type: Literal["qrcode"]
    value: LayerText = ""
    color: Color = "#000000"
    background: Color | None = "#ffffff"
    error_correction: Literal["L", "M", "Q", "H"] = "M"


class BarcodeLayer(_Box):
    """A bar code that fills its box, quiet zones included."""

    type: Literal["barcode"]
    value: LayerText = ""
    symbology: Literal[
        "code128", "code39", "codabar", "ean13", "ean8", "gs1_128", "itf", "upca"
    ] = "code128"
    color: Color = "#000000"
    show_text: bool = True
    """Print the value below the bars."""


class SvgLayer(_Box):
    """An SVG, shown as a picture: its scripts do not run and it loads nothing."""

    type: Literal["svg"]
    svg: Annotated[str, StringConstraints(max_length=layer_constraints.MAX_SVG_CHARACTERS)] = ""


class GroupLayer(_Layer):
    """Layers that are placed, turned, faded and hidden together."""

    type: Literal["group"]
    width: PixelLength = 0
    height: PixelLength = 0
    """With `width`: the box around whose middle the group is rotated."""
    layers: "list[Layer]" = Field(default=[])


Layer = Annotated[
    TextLayer
    | ImageLayer
    | RectLayer
    | EllipseLayer
    | LineLayer
    | QrCodeLayer
    | BarcodeLayer
    | SvgLayer
    | GroupLayer,
    Field(discriminator="type"),
]
