"""HTML of canvas layers; every text of a tenant is escaped or checked against a closed grammar."""

import math
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Final

from chalicelib.contract.template.layer_constraints import UPLOAD_SOURCE
from chalicelib.core.json import Json
from chalicelib.engine import barcodes
from chalicelib.engine.canvas import css, text_layer
from chalicelib.engine.canvas.binding import AddWarning, DataBinding
from chalicelib.engine.canvas.scene import LayerFields, SceneLayer, scene_invalid
from chalicelib.engine.deadline import Deadline, timeout_failure

# The bounds of decision 22.
MAX_HTML_CHARACTERS: Final = 50_000_000
_MAX_IMAGE_BYTES: Final = 20_000_000
# Looked up, never copied: no text of a tenant stands in a style (decision 22).
_OBJECT_FITS: Final = {"contain": "contain", "cover": "cover", "fill": "fill"}
_MAGIC_NUMBERS: Final = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
)
_SVG_SNIFF_BYTES: Final = 2_000


class LayerDrawing:
    """Drawing of one scene's layers, from the bottom to the top."""

    def __init__(
        self,
        binding: DataBinding,
        uploads: Callable[[str], bytes],
        deadline: Deadline,
        warn: AddWarning,
    ) -> None:
        """Draw with the values of `binding` and the images of `uploads`, until `deadline`."""
        self._binding = binding
        self._uploads = uploads
        self._deadline = deadline
        self._warn = warn
        self._characters_left = MAX_HTML_CHARACTERS
        self._missing_fonts: set[str] = set()
        self._image_uris: dict[str, str] = {}
        self._draw_functions: dict[str, Callable[[SceneLayer, Json], str]] = {
            "text": partial(text_layer.text_layer_html, warn_missing_font=self._warn_missing_font),
            "image": self._draw_image,
            "rect": _draw_rect,
            "ellipse": _draw_rect,
            "line": _draw_line,
            "qrcode": _draw_qrcode,
            "barcode": _draw_barcode,
            "svg": _draw_svg,
        }

    def draw_layers(self, layers: Sequence[SceneLayer]) -> str:
        """Return the HTML of layers; an invisible layer is neither drawn nor bound.

        Raises RenderFailure `scene_invalid`, `data_invalid`, `render_timeout`, and those of
        templates and uploads.
        """
        return "".join(self._draw_layer(layer) for layer in layers if layer.fields["visible"])

    def _draw_layer(self, layer: SceneLayer) -> str:
        if self._deadline.has_passed:
            raise timeout_failure()
        if layer.type == "group":
            return self._draw_group(layer)
        try:
            layer_html = self._draw_first_usable(layer)
        # A value outside of the grammar of css.py, or one that its code cannot hold.
        except ValueError as error:
            raise scene_invalid(layer.path, f"cannot be drawn: {error}") from error
        self._characters_left -= len(layer_html)
        if self._characters_left < 0:
            message = f"the page of the scene would have more than {MAX_HTML_CHARACTERS} characters"
            raise scene_invalid(layer.path, message)
        return layer_html

    def _draw_group(self, layer: SceneLayer) -> str:
        if not next(self._binding.candidate_values(layer)):
            return ""
        hidden = ' aria-hidden="true"' if layer.fields["decorative"] else ""
        style = css.style_attribute(css.box_properties(layer.fields))
        return f"<div{hidden}{_aria_label(layer)} {style}>{self.draw_layers(layer.layers)}</div>"

    def _draw_first_usable(self, layer: SceneLayer) -> str:
        """Return the layer drawn with its first usable value.

        The last value is the layer's own: a failure with it is the scene's.
        """
        values = list(self._binding.candidate_values(layer))
        for value in values[:-1]:
            try:
                return self._draw_functions[layer.type](layer, value)
            except (barcodes.BarcodeError, UnusableImageError) as error:
                self._binding.warn_unusable(layer, str(error))
        return self._draw_functions[layer.type](layer, values[-1])

    def _draw_image(self, layer: SceneLayer, value: Json) -> str:
        source = str(value or "")
        if source and source not in self._image_uris:
            self._image_uris[source] = image_uri(source, self._uploads)
        return _image_box(
            layer, source and self._image_uris[source], _OBJECT_FITS[layer.fields["fit"]]
        )

    def _warn_missing_font(self, name: str, layer: SceneLayer) -> None:
        if name.lower() not in self._missing_fonts:
            self._missing_fonts.add(name.lower())
            message = f"The font {name} is not there; a bundled one was used."
            self._warn("font_fallback_used", message, layer.path)


def _draw_rect(layer: SceneLayer, fill: Json) -> str:
    style = css.style_attribute(shape_properties(layer, fill))
    return f"<div{_aria_label(layer)} {style}></div>"


def _draw_line(layer: SceneLayer, stroke: Json) -> str:
    style = css.style_attribute(line_properties(layer, stroke))
    return f"<div{_aria_label(layer)} {style}></div>"


def _draw_svg(layer: SceneLayer, svg: Json) -> str:
    return _image_box(layer, svg_uri(str(svg)) if svg else None)


def _draw_qrcode(layer: SceneLayer, value: Json) -> str:
    if value == "":
        return ""
    background = layer.fields["background"]
    svg = barcodes.qr_svg(
        str(value),
        error_correction=layer.fields["error_correction"],
        color=css.color(layer.fields["color"]),
        background=None if background is None else css.color(background),
    )
    return _image_box(layer, _svg_data_uri(svg), default_alt=str(value))


def _draw_barcode(layer: SceneLayer, value: Json) -> str:
    if value == "":
        return ""
    text, symbology, color = str(value), layer.fields["symbology"], css.color(layer.fields["color"])
    bars = _svg_data_uri(barcodes.barcode_svg(text, symbology, color=color))
    if not layer.fields["show_text"]:
        return _image_box(layer, bars, "fill", default_alt=text)
    human_readable = barcodes.human_readable_text(text, symbology)
    text_html, text_height = text_layer.barcode_text_html(
        human_readable, layer.fields["width"], layer.fields["height"]
    )
    picture = _img_tag(layer, bars, "fill", css.px(max(0.0, layer.fields["height"] - text_height)))
    hidden = ' aria-hidden="true"' if layer.fields["decorative"] else ""
    style = css.style_attribute({**css.box_properties(layer.fields), "color": color})
    return f"<div{hidden} {style}>{picture}{text_html}</div>"


def _svg_data_uri(svg: str) -> str:
    return data_uri("image/svg+xml", svg.encode())


def _image_box(
    layer: SceneLayer, uri: str | None, fit: str = "contain", *, default_alt: str = ""
) -> str:
    if not uri:
        return ""
    style = css.style_attribute(css.box_properties(layer.fields))
    return f"<div {style}>{_img_tag(layer, uri, fit, '100%', default_alt=default_alt)}</div>"


def _img_tag(layer: SceneLayer, uri: str, fit: str, height: str, *, default_alt: str = "") -> str:
    # An empty `alt` makes the picture an artifact in tagged PDF.
    alt = "" if layer.fields["decorative"] else (layer.fields["alt"] or default_alt)
    style = css.style_attribute({"height": height, "object-fit": fit})
    data_layer = f'data-layer="{escape(layer.path)}"'
    return f'<img alt="{escape(alt)}" {data_layer} {style} src="{escape(uri)}">'


def _aria_label(layer: SceneLayer) -> str:
    if layer.fields["decorative"] or not layer.fields["alt"]:
        return ""
    return f' role="img" aria-label="{escape(layer.fields["alt"])}"'


def shape_properties(layer: SceneLayer, fill: Json) -> dict[str, str | None]:
    """Return the CSS properties of a rectangle or an ellipse."""
    stroke = layer.fields["stroke"]
    border_radius = "50%" if layer.type == "ellipse" else css.px(layer.fields["radius"])
    return {
        **css.box_properties(layer.fields),
        "background-color": None if fill is None else css.color(fill),
        "border": None
        if stroke is None
        else f"{css.px(layer.fields['stroke_width'])} solid {css.color(stroke)}",
        "border-radius": None if border_radius == "0px" else border_radius,
    }


def line_properties(layer: SceneLayer, stroke: Json) -> dict[str, str | None]:
    """Return the CSS properties of a line: a rotated bar with the same middle."""
    across, down = float(layer.fields["width"]), float(layer.fields["height"])
    length, thickness = math.hypot(across, down), layer.fields["stroke_width"]
    bar: LayerFields = {
        **layer.fields,
        "x": layer.fields["x"] + (across - length) / 2,
        "y": layer.fields["y"] + (down - thickness) / 2,
        "width": length,
        "height": thickness,
        "rotation": layer.fields["rotation"] + math.degrees(math.atan2(down, across)),
    }
    return {**css.box_properties(bar), "background-color": css.color(stroke)}


class UnusableImageError(ValueError):
    """Upload that cannot be shown; the message gives the reason."""


def image_uri(source: str, uploads: Callable[[str], bytes]) -> str:
    """Return the URI of an image: a URL as it is, an upload as a data URI.

    Raises UnusableImageError, and the failures of `uploads`.
    """
    upload = UPLOAD_SOURCE.fullmatch(source)
    if upload is None:
        return source
    content = uploads(upload[1])
    kind = _media_type(content)
    if kind is None:
        message = "the upload is no PNG, JPEG, GIF, WebP, AVIF or SVG"
        raise UnusableImageError(message)
    if len(content) > _MAX_IMAGE_BYTES:
        message = f"the upload has more than {_MAX_IMAGE_BYTES} bytes"
        raise UnusableImageError(message)
    return data_uri(kind, content)


def svg_uri(svg: str) -> str:
    """Return an SVG as an image URI: in an image no script runs and nothing is loaded."""
    return data_uri("image/svg+xml", svg.encode("utf-8", "replace"))


def data_uri(media_type: str, content: bytes) -> str:
    """Return content as a data URI."""
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def _media_type(content: bytes) -> str | None:
    for offset, magic, media_type in _MAGIC_NUMBERS:
        if content[offset : offset + len(magic)] == magic:
            return media_type
    return "image/svg+xml" if b"<svg" in content[:_SVG_SNIFF_BYTES].lower() else None
