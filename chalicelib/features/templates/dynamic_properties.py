"""Values of the data that the layers of a canvas show."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from chalicelib.core.json import Json
from chalicelib.engine.canvas.scene import SceneLayer, read_scene

# What a layer makes of its value, by its type; all others show text.
_KINDS: Final[Mapping[str, str]] = {
    "image": "image",
    "rect": "color",
    "ellipse": "color",
    "line": "color",
    "svg": "svg",
    "group": "boolean",
}


def dynamic_properties(scene: Json) -> list[Json]:
    """Return the paths into the data that layers of a scene are bound to, each once.

    It is required if one of its layers requires it. Texts that are templates name no single path.
    """
    if not isinstance(scene, Mapping):
        return []
    found: dict[str, dict[str, Json]] = {}
    for layer in _all_layers(read_scene(scene).layers):
        path = layer.fields["bind"]
        if path is None or "{" in path:
            continue
        shown = found.setdefault(path, _property(path, layer))
        shown["required"] = shown["required"] or layer.fields["required"]
    return list(found.values())


def _property(path: str, layer: SceneLayer) -> dict[str, Json]:
    fallback = layer.fields["fallback"]
    return {
        "key": path,
        "type": _KINDS.get(layer.type, "text"),
        "required": False,
        "default": layer.own_value if fallback is None else fallback,
    }


def _all_layers(layers: Sequence[SceneLayer]) -> Iterator[SceneLayer]:
    for layer in layers:
        yield layer
        yield from _all_layers(layer.layers)
