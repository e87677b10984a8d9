"""The scene of a canvas template, and the refusal of one that cannot be drawn."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import Field, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from chalicelib.contract import layer_values
from chalicelib.contract.base import Model
from chalicelib.contract.colors import Color
from chalicelib.contract.layers import Layer
from chalicelib.contract.reading import refusal
from chalicelib.core.errors import FieldError, ServiceError

_INDEX: Final = re.compile(r"/([0-9]+)(?=/|$)")

Side = Annotated[int, Field(ge=1, le=layer_values.MAX_SIDE)]


class Scene(Model):
    """What is drawn, from the bottom to the top; lengths are pixels."""

    width: Side
    height: Side
    background: Color | None = None
    layers: list[Layer] = Field(default=[])
    """At most 1 000, those in groups included, in at most 20 levels."""


class _Described:
    """Has a plain object described as a scene; what is wrong in it is told by `check_scene`."""

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        Scene.model_rebuild()
        return handler(Scene.__pydantic_core_schema__)


SceneObject = Annotated[dict[str, Any], _Described()]


def check_scene(value: Mapping[str, Any], pointer: str = "/scene") -> None:
    """Refuse what cannot be drawn; raises `scene_invalid` that names the layer and what to do.

    `pointer` tells where the scene stands in the request.
    """
    _check_extent(value, pointer)
    try:
        Scene.model_validate(value)
    except ValidationError as error:
        entries = refusal(error, value).errors
        raise _invalid(entries, pointer) from None


def _check_extent(value: Mapping[str, Any], pointer: str) -> None:
    """Bound what the models would go through, and see that no two layers have one id."""
    known: dict[str, str] = {}
    for count, (path, depth, layer) in enumerate(_walked(value), 1):
        if depth > layer_values.MAX_DEPTH:
            message = f"is deeper than {layer_values.MAX_DEPTH} levels of groups"
            raise _invalid([FieldError(path, "out_of_range", message)], pointer)
        if count > layer_values.MAX_LAYERS:
            message = f"must have at most {layer_values.MAX_LAYERS} layers in all"
            raise _invalid([FieldError("/layers", "wrong_length", message)], pointer)
        name = layer.get("id")
        if not isinstance(name, str):
            continue
        if name in known:
            message = f"is the id of {_dotted(known[name])} as well"
            raise _invalid([FieldError(f"{path}/id", "not_allowed", message)], pointer)
        known[name] = path


def _walked(scene: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    waiting: list[tuple[str, int, Any]] = [("", 0, scene)]
    while waiting:
        path, depth, holder = waiting.pop()
        holder = holder if isinstance(holder, Mapping) else {}
        if depth:
            yield path, depth, holder
        inner = holder.get("layers")
        if isinstance(inner, list):
            # Of more it is enough to know that there are more.
            some = list(enumerate(inner[: layer_values.MAX_LAYERS + 1]))
            waiting += [(f"{path}/layers/{n}", depth + 1, layer) for n, layer in reversed(some)]


def _invalid(entries: "list[FieldError] | tuple[FieldError, ...]", pointer: str) -> ServiceError:
    first = entries[0]
    more = f" (and {len(entries) - 1} more)" if len(entries) > 1 else ""
    return ServiceError(
        "scene_invalid",
        f"{_dotted(first.path)}: {first.message}{more}",
        errors=[
            FieldError(f"{pointer}{entry.path}", entry.code, entry.message) for entry in entries
        ],
    )


def _dotted(path: str) -> str:
    """Turn `/layers/2/width` into `layers[2].width`."""
    return _INDEX.sub(r"[\1]", path).removeprefix("/").replace("/", ".") or "scene"
