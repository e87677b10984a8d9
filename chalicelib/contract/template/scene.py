"""Scene of a canvas template, and its check against limits and models."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from pydantic import Field, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from chalicelib.contract.base import Model
from chalicelib.contract.faults import to_service_error
from chalicelib.contract.field_types import Color, UncheckedJson
from chalicelib.contract.template import layer_constraints
from chalicelib.contract.template.layers import Layer
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.core.json import Json, JsonObject

_LIST_INDEX: Final = re.compile(r"/([0-9]+)(?=/|$)")

CanvasSide = Annotated[int, Field(ge=1, le=layer_constraints.MAX_SIDE)]


class Scene(Model):
    """The layers of a canvas, from bottom to top; lengths are in pixels."""

    width: CanvasSide
    """Width of the canvas, in pixels."""
    height: CanvasSide
    """Height of the canvas, in pixels."""
    background: Color | None = None
    """Color of the canvas, a CSS color. Null: none."""
    layers: list[Layer] = Field(default=[])
    """Layers from bottom to top: at most 1 000, including those in groups, in at most 20 levels."""


class _SceneJsonSchema:
    """JSON Schema of a plain object that is described as a Scene.

    The models do not validate it: `check_scene` does, with the code `scene_invalid`.
    """

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        Scene.model_rebuild()
        return handler(Scene.__pydantic_core_schema__)


SceneObject = Annotated[dict[str, UncheckedJson], _SceneJsonSchema()]


def check_scene(value: JsonObject, pointer: str = "/scene") -> None:
    """Raise `scene_invalid` if the scene cannot be drawn; the detail names the layer.

    `pointer` is the JSON Pointer of the scene in the request.
    """
    _check_limits(value, pointer)
    try:
        Scene.model_validate(value)
    except ValidationError as error:
        entries = to_service_error(Scene, error, value).errors
        raise _scene_error(entries, pointer) from None


def _check_limits(value: JsonObject, pointer: str) -> None:
    """Raise `scene_invalid` for too many or too deep layers, or for a repeated id.

    Before the models, which would validate every layer of a huge scene first.
    """
    known: dict[str, str] = {}
    for count, (path, depth, layer) in enumerate(_walk_layers(value), 1):
        if depth > layer_constraints.MAX_DEPTH:
            message = f"is deeper than {layer_constraints.MAX_DEPTH} levels of groups"
            raise _scene_error([FieldError(path, "out_of_range", message)], pointer)
        if count > layer_constraints.MAX_LAYERS:
            message = f"must have at most {layer_constraints.MAX_LAYERS} layers in all"
            raise _scene_error([FieldError("/layers", "wrong_length", message)], pointer)
        name = layer.get("id")
        if not isinstance(name, str):
            continue
        if name in known:
            message = f"is the id of {_dotted_path(known[name])} as well"
            raise _scene_error([FieldError(f"{path}/id", "not_allowed", message)], pointer)
        known[name] = path


def _walk_layers(scene: JsonObject) -> Iterator[tuple[str, int, JsonObject]]:
    pending: list[tuple[str, int, Json]] = [("", 0, scene)]
    while pending:
        path, depth, value = pending.pop()
        holder: JsonObject = value if isinstance(value, Mapping) else {}
        if depth:
            yield path, depth, holder
        inner = holder.get("layers")
        if isinstance(inner, list):
            # One more than allowed is enough to find out that there are too many.
            entries = list(enumerate(inner[: layer_constraints.MAX_LAYERS + 1]))
            pending += [(f"{path}/layers/{n}", depth + 1, layer) for n, layer in reversed(entries)]


def _scene_error(
    entries: "list[FieldError] | tuple[FieldError, ...]", pointer: str
) -> ServiceError:
    first = entries[0]
    more = f" (and {len(entries) - 1} more)" if len(entries) > 1 else ""
    return ServiceError(
        "scene_invalid",
        f"{_dotted_path(first.path)}: {first.message}{more}",
        errors=[
            FieldError(f"{pointer}{entry.path}", entry.code, entry.message) for entry in entries
        ],
    )


def _dotted_path(path: str) -> str:
    """Turn `/layers/2/width` into `layers[2].width`."""
    return _LIST_INDEX.sub(r"[\1]", path).removeprefix("/").replace("/", ".") or "scene"
