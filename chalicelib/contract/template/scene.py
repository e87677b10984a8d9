"""The scene of a canvas template, and the refusal of one that cannot be drawn."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import Field, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Color
from chalicelib.contract.template import layer_constraints
from chalicelib.contract.template.layers import Layer
from chalicelib.contract.validation import to_service_error
from chalicelib.core.errors import FieldError, ServiceError

_LIST_INDEX: Final = re.compile(r"/([0-9]+)(?=/|$)")

CanvasSide = Annotated[int, Field(ge=1, le=layer_constraints.MAX_SIDE)]


class Scene(Model):
    """What is drawn, from the bottom to the top; lengths are pixels."""

    width: CanvasSide
    height: CanvasSide
    background: Color | None = None
    layers: list[Layer] = Field(default=[])
    """At most 1 000, those in groups included, in at most 20 levels."""


class _SceneJsonSchema:
    """Has a plain object described as a scene; what is wrong in it is told by `check_scene`."""

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        Scene.model_rebuild()
        return handler(Scene.__pydantic_core_schema__)


SceneObject = Annotated[dict[str, Any], _SceneJsonSchema()]


def check_scene(value: Mapping[str, Any], pointer: str = "/scene") -> None:
    """Refuse what cannot be drawn; raises `scene_invalid` that names the layer and what to do.

    `pointer` tells where the scene stands in the request.
    """
    _check_limits(value, pointer)
    try:
        Scene.model_validate(value)
    except ValidationError as error:
        entries = to_service_error(error, value).errors
        raise _scene_error(entries, pointer) from None


def _check_limits(value: Mapping[str, Any], pointer: str) -> None:
    """Bound what the models would go through, and see that no two layers have one id."""
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


def _walk_layers(scene: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    waiting: list[tuple[str, int, Any]] = [("", 0, scene)]
    while waiting:
        path, depth, holder = waiting.pop()
        holder = holder if isinstance(holder, Mapping) else {}
        if depth:
            yield path, depth, holder
        inner = holder.get("layers")
        if isinstance(inner, list):
            # Of more it is enough to know that there are more.
            some = list(enumerate(inner[: layer_constraints.MAX_LAYERS + 1]))
            waiting += [(f"{path}/layers/{n}", depth + 1, layer) for n, layer in reversed(some)]


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
