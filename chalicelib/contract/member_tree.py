"""Members of a request model at every depth: which models stand at a path, where a name belongs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple, get_args, get_origin, override

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from chalicelib.contract.aliases import aliases_of
from chalicelib.core.nearest import plain_name

type Models = tuple[type[BaseModel], ...]

# Groups of layers hold groups; nothing else is as deep.
_MAX_DEPTH: Final = 7


class Place(NamedTuple):
    """Place of a member: the names from the outside, a list's with `[]` behind it."""

    path: tuple[str, ...]

    @override
    def __str__(self) -> str:
        """Return the dotted path."""
        return ".".join(self.path)


def member_names(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return the members of a model by their names in JSON."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def models_at(root: type[BaseModel], value: object, path: Sequence[str | int]) -> Models:
    """Return the models that the object at a path of a request may have; of no object, none."""
    models: Models = (root,)
    for step in path:
        value = _member(value, step)
        if isinstance(step, str):
            fields = [member_names(model).get(step) for model in models]
            models = tuple(
                model for field in fields if field for model in models_in(field.annotation)
            )
            models = _branches(models, value)
    return models


def _branches(models: Models, value: object) -> Models:
    """Return the models whose constant members are as those of the value; all if none are."""
    if not isinstance(value, dict):
        return models
    return tuple(model for model in models if _has_constants(model, value)) or models


def _has_constants(model: type[BaseModel], value: Mapping[str, object]) -> bool:
    return all(
        value[name] in get_args(field.annotation)
        for name, field in member_names(model).items()
        if field.is_required() and get_origin(field.annotation) is Literal and name in value
    )


def models_in(hint: object) -> Models:
    """Return the models in the type of a member: its own, those of its list or its union."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return (hint,)
    return tuple(dict.fromkeys(model for each in get_args(hint) for model in models_in(each)))


def literal_values(hint: object) -> tuple[object, ...]:
    """Return the values that the type of a member lists."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(value for each in get_args(hint) for value in literal_values(each))


@cache
def places_by_name(root: type[BaseModel]) -> Mapping[str, Sequence[Place]]:
    """Return the places of members by their plain name, alone and behind that of their object.

    Tolerated names lead to the place of ours.
    """
    found: dict[str, dict[Place, None]] = {}
    for place, name in _walk(root, (), ()):
        found.setdefault(plain_name(name), {})[place] = None
        if len(place.path) > 1:
            outer = place.path[-2].removesuffix("[]")
            found.setdefault(plain_name(f"{outer}_{name}"), {})[place] = None
    return {name: tuple(places) for name, places in found.items()}


def _walk(
    model: type[BaseModel], path: tuple[str, ...], above: Models
) -> Iterator[tuple[Place, str]]:
    for name, field in member_names(model).items():
        yield Place((*path, name)), name
        if len(above) < _MAX_DEPTH:
            step = f"{name}[]" if _is_list(field.annotation) else name
            for inner in models_in(field.annotation):
                if inner is not model and inner not in above:
                    yield from _walk(inner, (*path, step), (*above, model))
    for alias in aliases_of(model):
        if alias.other != alias.ours:
            yield Place((*path, *alias.our_path)), "_".join(alias.other_path)


def _is_list(hint: object) -> bool:
    return get_origin(hint) is list or any(map(_is_list, get_args(hint)))


def _member(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(str(step))
    return value[step] if isinstance(value, list) and isinstance(step, int) else None
