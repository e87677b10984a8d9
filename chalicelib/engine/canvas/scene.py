"""Scene as it is drawn: every layer with its path and all fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict, cast

from chalicelib.contract.template.layer_constraints import BIND_TARGETS, MAX_DEPTH, MAX_SIDE
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json, JsonObject

_COMMON_DEFAULTS: Final[JsonObject] = {
    "id": None,
    "x": 0,
    "y": 0,
    "rotation": 0,
    "opacity": 1,
    "visible": True,
    "bind": None,
    "required": False,
    "fallback": None,
    "alt": None,
    "decorative": False,
}
_SHAPE_DEFAULTS: Final[JsonObject] = {"fill": None, "stroke": None, "stroke_width": 1, "radius": 0}
# Defaults of layer fields; they equal those of contract/template/layers.py.
LAYER_DEFAULTS: Final[Mapping[str, JsonObject]] = {
    "text": {
        "text": "",
        "font_family": "sans-serif",
        "font_size": 16,
        "font_weight": "normal",
        "font_style": "normal",
        "color": "#000000",
        "align": "left",
        "vertical_align": "top",
        "line_height": 1.2,
        "letter_spacing": 0,
        "overflow": "clip",
    },
    "image": {"src": None, "fit": "contain"},
    "rect": _SHAPE_DEFAULTS,
    "ellipse": _SHAPE_DEFAULTS,
    "line": {"width": 0, "height": 0, "stroke": "#000000", "stroke_width": 1},
    "qrcode": {
        "value": "",
        "color": "#000000",
        "background": "#ffffff",
        "error_correction": "M",
    },
    "barcode": {"value": "", "symbology": "code128", "color": "#000000", "show_text": True},
    "svg": {"svg": ""},
    "group": {"width": 0, "height": 0, "layers": ()},
}


class LayerFields(TypedDict, total=False):
    """Fields of layers; each type has all common ones and its own."""

    x: float
    y: float
    width: float
    height: float
    rotation: float
    opacity: float
    visible: bool
    bind: str | None
    required: bool
    fallback: str | float | bool | None
    alt: str | None
    decorative: bool
    stroke: str | None
    stroke_width: float
    radius: float
    font_family: str
    font_size: float
    font_weight: float | str
    font_style: str
    color: str
    align: str
    vertical_align: str
    line_height: float
    letter_spacing: float
    overflow: str
    fit: str
    background: str | None
    error_correction: str
    symbology: str
    show_text: bool


@dataclass(frozen=True, slots=True)
class SceneLayer:
    """Layer; `path` is its path in the scene, such as `layers[2].layers[0]`."""

    path: str
    type: str
    fields: LayerFields
    own_value: Json
    """The value of the field that `bind` sets."""
    layers: "Sequence[SceneLayer]" = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Scene with its layers from the bottom to the top; lengths are in pixels."""

    width: int
    height: int
    background: Json
    layers: Sequence[SceneLayer]


def read_scene(source: JsonObject) -> Scene:
    """Read a scene; raises RenderFailure `scene_invalid` where a required field is missing.

    The contract has checked a scene when it was written; the engine does not rely on that (decision
    22).
    """
    width, height = _read_side(source, "width"), _read_side(source, "height")
    layers = _read_layers(source.get("layers"), "", 1)
    return Scene(width, height, source.get("background"), layers)


def scene_invalid(path: str, message: str) -> RenderFailure:
    """Return the failure of a scene at `path`."""
    return RenderFailure("scene_invalid", f"{path}: {message}")


def _read_side(source: JsonObject, side: str) -> int:
    length = source.get(side)
    if not isinstance(length, int) or not 1 <= length <= MAX_SIDE:
        message = f"must be a whole number from 1 to {MAX_SIDE}; the scene needs one"
        raise scene_invalid(side, message)
    return length


def _read_layers(sources: Json, prefix: str, depth: int) -> Sequence[SceneLayer]:
    if not sources:
        return ()
    if not isinstance(sources, list | tuple):
        raise scene_invalid(f"{prefix}layers", "must be an array")
    if depth > MAX_DEPTH:
        message = f"must not stand in more than {MAX_DEPTH} levels"
        raise scene_invalid(f"{prefix}layers", message)
    return tuple(
        _read_layer(source, f"{prefix}layers[{n}]", depth) for n, source in enumerate(sources)
    )


def _read_layer(source: Json, path: str, depth: int) -> SceneLayer:
    if not isinstance(source, Mapping):
        raise scene_invalid(path, "must be an object")
    type_ = str(source.get("type"))
    if type_ not in LAYER_DEFAULTS:
        raise scene_invalid(path, f"type must be one of {', '.join(LAYER_DEFAULTS)}")
    fields = {**_COMMON_DEFAULTS, **LAYER_DEFAULTS[type_], **source}
    for side in ("width", "height"):
        if side not in fields:
            raise scene_invalid(f"{path}.{side}", "is required")
    return SceneLayer(
        path,
        type_,
        cast("LayerFields", fields),  # The contract has checked the values.
        fields[BIND_TARGETS[type_]],
        _read_layers(fields.get("layers"), f"{path}.", depth + 1),
    )
