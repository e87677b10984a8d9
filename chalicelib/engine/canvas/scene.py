"""Scene as it is drawn: every layer with its path and all fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.contract.template.layer_constraints import MAX_DEPTH, MAX_SIDE
from chalicelib.core.errors import RenderFailure

_COMMON_DEFAULTS: Final = {
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
_SHAPE_DEFAULTS: Final = {"fill": None, "stroke": None, "stroke_width": 1, "radius": 0}
# Defaults of layer fields; they equal those of contract/template/layers.py.
LAYER_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
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


@dataclass(frozen=True, slots=True)
class SceneLayer:
    """Layer; `path` is its path in the scene, such as `layers[2].layers[0]`."""

    path: str
    type: str
    fields: Mapping[str, Any]
    layers: "Sequence[SceneLayer]" = ()

    def __getitem__(self, name: str) -> Any:
        """Return a field."""
        return self.fields[name]


@dataclass(frozen=True, slots=True)
class Scene:
    """Scene with its layers from the bottom to the top; lengths are in pixels."""

    width: int
    height: int
    background: str | None
    layers: Sequence[SceneLayer]


def read_scene(source: Mapping[str, Any]) -> Scene:
    """Read a scene; raises RenderFailure `scene_invalid` where a required field is missing.

    The contract has checked a scene when it was written; the engine does not rely on that (decision
    22).
    """
    for side in ("width", "height"):
        length = source.get(side)
        if not isinstance(length, int) or not 1 <= length <= MAX_SIDE:
            message = f"must be a whole number from 1 to {MAX_SIDE}; the scene needs one"
            raise scene_invalid(side, message)
    layers = _read_layers(source.get("layers") or (), "", 1)
    return Scene(source["width"], source["height"], source.get("background"), layers)


def scene_invalid(path: str, message: str) -> RenderFailure:
    """Return the failure of a scene at `path`."""
    return RenderFailure("scene_invalid", f"{path}: {message}")


def _read_layers(
    sources: Sequence[Mapping[str, Any]], prefix: str, depth: int
) -> Sequence[SceneLayer]:
    if sources and depth > MAX_DEPTH:
        message = f"must not stand in more than {MAX_DEPTH} levels"
        raise scene_invalid(f"{prefix}layers", message)
    return tuple(
        _read_layer(source, f"{prefix}layers[{n}]", depth) for n, source in enumerate(sources)
    )


def _read_layer(source: Mapping[str, Any], path: str, depth: int) -> SceneLayer:
    type_ = str(source.get("type"))
    if type_ not in LAYER_DEFAULTS:
        raise scene_invalid(path, f"type must be one of {', '.join(LAYER_DEFAULTS)}")
    fields = {**_COMMON_DEFAULTS, **LAYER_DEFAULTS[type_], **source}
    for side in ("width", "height"):
        if side not in fields:
            raise scene_invalid(f"{path}.{side}", "is required")
    inner = fields.get("layers") or ()
    return SceneLayer(path, type_, fields, _read_layers(inner, f"{path}.", depth + 1))
