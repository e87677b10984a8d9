"""Layers as HTML: everything a tenant writes is escaped or held to a closed grammar."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Any, Final

from chalicelib.engine import codes
from chalicelib.engine.canvas import css, shapes, texts
from chalicelib.engine.canvas.binding import Binding, Warn
from chalicelib.engine.canvas.pictures import NoPictureError, data_uri, svg_uri, uri_of
from chalicelib.engine.canvas.scene import Layer, scene_invalid
from chalicelib.engine.deadline import Deadline, out_of_time

MOST_CHARACTERS: Final = 50_000_000
_FITS: Final = {"contain": "contain", "cover": "cover", "fill": "fill"}


class Drawing:
    """Draws the layers of one scene, from the bottom to the top."""

    def __init__(
        self, binding: Binding, uploads: Callable[[str], bytes], deadline: Deadline, warn: Warn
    ) -> None:
        """Draw what is bound; `warn` is told a code, a message and a place."""
        self._binding = binding
        self._uploads = uploads
        self._deadline = deadline
        self._warn = warn
        self._room = MOST_CHARACTERS
        self._missing_fonts: set[str] = set()
        self._uris: dict[str, str] = {}
        self._draw: dict[str, Callable[[Layer, Any], str]] = {
            "text": partial(texts.text, missing_font=self._miss_font),
            "image": self._image,
            "rect": _rect,
            "ellipse": _rect,
            "line": _line,
            "qrcode": _qrcode,
            "barcode": _barcode,
            "svg": _svg,
        }

    def layers(self, layers: Sequence[Layer]) -> str:
        """Return layers; what is not visible is neither drawn nor bound.

        Raises RenderFailure `scene_invalid`, `data_invalid`, `render_timeout`, that of a template
        and that of an upload.
        """
        return "".join(self._layer(layer) for layer in layers if layer["visible"])

    def _layer(self, layer: Layer) -> str:
        if self._deadline.passed:
            raise out_of_time()
        if layer.type == "group":
            return self._group(layer)
        try:
            drawn = self._best(layer)
        except ValueError as error:
            raise scene_invalid(layer.path, f"cannot be drawn: {error}") from error
        self._room -= len(drawn)
        if self._room < 0:
            message = f"the page of the scene would have more than {MOST_CHARACTERS} characters"
            raise scene_invalid(layer.path, message)
        return drawn

    def _group(self, layer: Layer) -> str:
        if not next(self._binding.values(layer)):
            return ""
        hidden = ' aria-hidden="true"' if layer["decorative"] else ""
        look = css.style(css.placed(layer))
        return f"<div{hidden}{_label(layer)} {look}>{self.layers(layer.layers)}</div>"

    def _best(self, layer: Layer) -> str:
        """Return the layer with the first value that it can be drawn with; the last is its own."""
        values = list(self._binding.values(layer))
        for value in values[:-1]:
            try:
                return self._draw[layer.type](layer, value)
            except (codes.CodeError, NoPictureError) as error:
                self._binding.refuse(layer, str(error))
        return self._draw[layer.type](layer, values[-1])

    def _image(self, layer: Layer, source: str | None) -> str:
        if source and source not in self._uris:
            self._uris[source] = uri_of(source, self._uploads)
        return _picture(layer, source and self._uris[source], _FITS[layer["fit"]])

    def _miss_font(self, name: str, layer: Layer) -> None:
        if name.lower() not in self._missing_fonts:
            self._missing_fonts.add(name.lower())
            message = f"The font {name} is not there; a bundled one was used."
            self._warn("font_fallback_used", message, layer.path)


def _rect(layer: Layer, fill: str | None) -> str:
    return f"<div{_label(layer)} {css.style(shapes.shape(layer, fill))}></div>"


def _line(layer: Layer, stroke: str) -> str:
    return f"<div{_label(layer)} {css.style(shapes.line(layer, stroke))}></div>"


def _svg(layer: Layer, svg: str) -> str:
    return _picture(layer, svg and svg_uri(svg))


def _qrcode(layer: Layer, value: Any) -> str:
    if value == "":
        return ""
    ground = layer["background"]
    svg = codes.qr_svg(
        str(value),
        error_correction=layer["error_correction"],
        color=css.color(layer["color"]),
        background=None if ground is None else css.color(ground),
    )
    return _picture(layer, _drawn(svg), said=str(value))


def _barcode(layer: Layer, value: Any) -> str:
    if value == "":
        return ""
    words, symbology, color = str(value), layer["symbology"], css.color(layer["color"])
    bars = _drawn(codes.barcode_svg(words, symbology, color=color))
    if not layer["show_text"]:
        return _picture(layer, bars, "fill", said=words)
    printed = codes.printed_text(words, symbology)
    below, high = texts.small_print(printed, layer["width"], layer["height"])
    picture = _img(layer, bars, "fill", css.px(max(0.0, layer["height"] - high)))
    hidden = ' aria-hidden="true"' if layer["decorative"] else ""
    look = css.style({**css.placed(layer), "color": color})
    return f"<div{hidden} {look}>{picture}{below}</div>"


def _drawn(svg: str) -> str:
    return data_uri("image/svg+xml", svg.encode())


def _picture(layer: Layer, uri: str | None, fit: str = "contain", *, said: str = "") -> str:
    if not uri:
        return ""
    return f"<div {css.style(css.placed(layer))}>{_img(layer, uri, fit, '100%', said=said)}</div>"


def _img(layer: Layer, uri: str, fit: str, height: str, *, said: str = "") -> str:
    # A picture without words is an artifact.
    words = "" if layer["decorative"] else (layer["alt"] or said)
    look = css.style({"height": height, "object-fit": fit})
    place = f'data-layer="{escape(layer.path)}"'
    return f'<img alt="{escape(words)}" {place} {look} src="{escape(uri)}">'


def _label(layer: Layer) -> str:
    if layer["decorative"] or not layer["alt"]:
        return ""
    return f' role="img" aria-label="{escape(layer["alt"])}"'
