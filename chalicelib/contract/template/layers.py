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
    """Name of the layer for messages, unique in the scene. Null: none."""
    x: Coordinate = 0
    """Distance from the left edge of the canvas or group, in pixels."""
    y: Coordinate = 0
    """Distance from the top edge of the canvas or group, in pixels."""
    rotation: Annotated[float, Field(ge=-3600, le=3600, allow_inf_nan=False)] = 0
    """Degrees clockwise around the middle of the layer."""
    opacity: Annotated[float, Field(ge=0, le=1)] = 1
    """From 0, invisible, to 1, opaque."""
    visible: bool = True
    """Draw the layer."""
    bind: Annotated[str, StringConstraints(min_length=1, max_length=10_000)] | None = None
    """A dotted path into the data, such as `customer.name`; in `text`, `qrcode` and `barcode` also
    a template. It sets the `text`, `src`, `value` or `svg` of the layer, the `fill` of `rect` and
    `ellipse`, the `stroke` of `line`, or whether a `group` is `visible`. Null: nothing is set."""
    required: bool = False
    """Data without the bound value are refused."""
    fallback: str | float | bool | None = None
    """Shown if the data have no usable value. Null: the layer shows its own value."""
    alt: Annotated[str, StringConstraints(max_length=2_000)] | None = None
    """Alternative text of a picture or shape; a group that has one is read as one picture. Null:
    none; a code is then read by its value, text as it is."""
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
    """Width, in pixels."""
    height: PixelLength
    """Height, in pixels."""


class _Shape(_Box):
    fill: Color | None = None
    """Color of the area, a CSS color such as `#ff8800`. Null: none."""
    stroke: Color | None = None
    """Color of the outline, a CSS color. Null: no outline."""
    stroke_width: PixelLength = 1
    """Width of the outline in pixels; it lies inside the layer's box."""
    radius: PixelLength = 0
    """Radius of the corners, in pixels."""


class RectLayer(_Shape):
    """A rectangle; `radius` rounds its corners."""

    type: Literal["rect"]
    """A rectangle."""


class EllipseLayer(_Shape):
    """An ellipse that fills its box; `radius` is ignored."""

    type: Literal["ellipse"]
    """An ellipse."""


class LineLayer(_Layer):
    """A line from (x, y) to (x + width, y + height)."""

    type: Literal["line"]
    """A line."""
    width: Coordinate = 0
    """Distance from its start to its end to the right, in pixels."""
    height: Coordinate = 0
    """Distance from its start to its end downwards, in pixels."""
    stroke: Color = "#000000"
    """Color of the line, a CSS color."""
    stroke_width: PixelLength = 1
    """Width of the line, in pixels."""


class TextLayer(_Box):
    """Text that is fitted into its box."""

    type: Literal["text"]
    """A text."""
    text: LayerText = ""
    """The text; `bind` sets it from the data."""
    font_family: Annotated[str, AfterValidator(_check_font_families)] = "sans-serif"
    """Names of fonts with commas between them, such as `Inter, sans-serif`; the first that there is
    draws the text."""
    font_size: Annotated[float, Field(ge=1, le=2_000)] = 16
    """Size of the font, in pixels."""
    font_weight: Annotated[int, Field(ge=1, le=1_000)] | Literal["normal", "bold"] = "normal"
    """`normal` (400), `bold` (700), or a number from 1 to 1000."""
    font_style: Literal["normal", "italic"] = "normal"
    """Upright or italic."""
    color: Color = "#000000"
    """Color of the text, a CSS color."""
    align: Literal["left", "center", "right", "justify"] = "left"
    """How lines are aligned."""
    vertical_align: Literal["top", "middle", "bottom"] = "top"
    """Where the text is in its box."""
    line_height: Annotated[float, Field(ge=0.5, le=5)] = 1.2
    """As a multiple of the font size."""
    letter_spacing: Annotated[float, Field(ge=-100, le=100)] = 0
    """Additional space between letters, in pixels."""
    overflow: Literal["clip", "ellipsis", "shrink"] = "clip"
    """What becomes of text that does not fit its box: `clip` cuts it, `ellipsis` ends it with …,
    `shrink` takes a smaller font size, down to a quarter of `font_size`."""


class ImageLayer(_Box):
    """A picture."""

    type: Literal["image"]
    """A picture."""
    src: Annotated[str, AfterValidator(_check_image_source)] | None = None
    """An https URL, `upload:<id>` or a data URI; `bind` sets it from the data. Null: no picture."""
    fit: Literal["contain", "cover", "fill"] = "contain"
    """How a picture of another shape is brought to the box: `contain` leaves bars, `cover` cuts,
    `fill` stretches."""


class QrCodeLayer(_Box):
    """A QR code, square in the middle of its box; on a background it has its quiet zone."""

    type: Literal["qrcode"]
    """A QR code."""
    value: LayerText = ""
    """The text of the code; `bind` sets it from the data."""
    color: Color = "#000000"
    """Color of the modules, a CSS color."""
    background: Color | None = "#ffffff"
    """Color behind the code, a CSS color. Null: none."""
    error_correction: Literal["L", "M", "Q", "H"] = "M"
    """Share of the code that may be unreadable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %."""


class BarcodeLayer(_Box):
    """A bar code that fills its box, quiet zones included."""

    type: Literal["barcode"]
    """A bar code."""
    value: LayerText = ""
    """The text of the code; `bind` sets it from the data."""
    symbology: Literal[
        "code128", "code39", "codabar", "ean13", "ean8", "gs1_128", "itf", "upca"
    ] = "code128"
    """Kind of bar code."""
    color: Color = "#000000"
    """Color of the bars, a CSS color."""
    show_text: bool = True
    """Print the value below the bars."""


class SvgLayer(_Box):
    """An SVG, shown as a picture: its scripts do not run and it loads nothing."""

    type: Literal["svg"]
    """An SVG."""
    svg: Annotated[str, StringConstraints(max_length=layer_constraints.MAX_SVG_CHARACTERS)] = ""
    """Source of the SVG; `bind` sets it from the data."""


class GroupLayer(_Layer):
    """Layers that are placed, turned, faded and hidden together."""

    type: Literal["group"]
    """A group of layers."""
    width: PixelLength = 0
    """Width of the box around whose middle the group is rotated, in pixels."""
    height: PixelLength = 0
    """Height of the box around whose middle the group is rotated, in pixels."""
    layers: "list[Layer]" = Field(default=[])
    """Layers of the group, from bottom to top; their `x` and `y` are relative to it."""


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
