"""Hints of messages about a request: what a name or a value was meant to be.

They are made only for faults that are answered, and of names for the first ones alone: a body may
have thousands of unknown members.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args, get_origin

from pydantic import BaseModel

from chalicelib.contract.examples import array_example, is_secret, object_example
from chalicelib.contract.member_tree import (
    Models,
    Place,
    literal_values,
    member_names,
    models_at,
    places_by_name,
)
from chalicelib.core.nearest import MAX_NAME_CHARACTERS, did_you_mean, nearest_name, plain_name

MAX_NAME_HINTS: Final = 20
_MAX_PLACES: Final = 3
_MAX_KNOWN_NAMES: Final = 12
_QUOTED: Final = re.compile("'([^']*)'")
# Names of other services, and the member that says the same, alone or behind that of its object.
_FOREIGN_NAMES: Final[Mapping[str, str]] = {
    "callback": "webhook_url",
    "callbackurl": "webhook_url",
    "context": "data",
    "displayheaderfooter": "header_enabled",
    "footertemplate": "footer_html",
    "headertemplate": "header_html",
    "htmlcontent": "html",
    "mergefield": "data",
    "paperformat": "page_size",
    "payload": "data",
    "template": "template_id",
    "templatedata": "data",
    "variable": "data",
    "waitfor": "wait_selector",
}
_HEADERS: Final[Mapping[str, str]] = {
    "apikey": "Authorization: Bearer <key>",
    "idempotencykey": "Idempotency-Key",
    "requestid": "X-Request-Id",
}
_OBJECT_KINDS: Final = frozenset(
    {"dict_type", "model_type", "model_attributes_type", "dataclass_type"}
)
_VALUE_KINDS: Final = frozenset({"literal_error", "enum", "union_tag_invalid"})
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,9})?")
_NUMBER_KINDS: Final = frozenset({"int_type", "float_type"})


class Hints:
    """Hints of one request; the path of a fault is that of the member in the JSON."""

    def __init__(self, model: type[BaseModel], body: object, prefix: str) -> None:
        """Explain faults of a `body` that `model` refuses; `prefix` is the pointer of the body."""
        self._model = model
        self._body = body
        self._prefix = tuple(prefix.split("/")[1:])
        self._names = 0

    def hint(self, kind: str, path: Sequence[str | int], value: object, message: str) -> str:
        """Return the end of a message about a fault of pydantic's `kind`; empty without advice."""
        if kind == "extra_forbidden":
            self._names += 1
            return self._name_hint(path, value) if self._names <= MAX_NAME_HINTS else ""
        if kind in _VALUE_KINDS and isinstance(value, str):
            return did_you_mean(value, _QUOTED.findall(message))
        if kind in _OBJECT_KINDS:
            models = models_at(self._model, self._body, path)
            return object_example(models, value)
        if kind in {"list_type", "tuple_type"}:
            return array_example(models_at(self._model, self._body, path), value)
        return "" if any(map(is_secret, path)) else _spelling_hint(kind, value)

    def _name_hint(self, path: Sequence[str | int], value: object) -> str:
        *outer, last = path
        name = str(last)
        if len(name) > MAX_NAME_CHARACTERS:
            return ""
        models = models_at(self._model, self._body, outer)
        known = tuple(dict.fromkeys(each for model in models for each in member_names(model)))
        here = nearest_name(name, known)
        is_other_spelling = here is not None and plain_name(here) == plain_name(name)
        return (
            _header_hint(name)
            or _members_hint(value, known)
            or (_question([here]) if is_other_spelling and here else "")
            or _constant_hint(name, models_at(self._model, None, outer))
            or _value_hint(value, models)
            or self._place_hint(name, outer)
            or (_question([here]) if here else "")
            or self._nearest_place_hint(name, outer)
            or _known_names(known)
        )

    def _place_hint(self, name: str, outer: Sequence[str | int]) -> str:
        """Return where a name belongs: the places nearest to the object it stands in."""
        plain = plain_name(name)
        by_name = places_by_name(self._model)
        found = by_name.get(plain) or by_name.get(plain_name(_FOREIGN_NAMES.get(plain, "")))
        if not found:
            return ""
        return f": it belongs at {' or '.join(self._nearest_of(found, name, outer))}"

    def _nearest_place_hint(self, name: str, outer: Sequence[str | int]) -> str:
        by_name = places_by_name(self._model)
        nearest = nearest_name(name, by_name)
        return _question(self._nearest_of(by_name[nearest], name, outer)) if nearest else ""

    def _nearest_of(
        self, places: Sequence[Place], name: str, outer: Sequence[str | int]
    ) -> Sequence[str]:
        steps = [each for each in outer if isinstance(each, str)]
        ranks = {place: _distance(place, name, steps) for place in places}
        least = min(ranks.values(), default=None)
        nearest = [place for place, rank in ranks.items() if rank == least]
        return [".".join((*self._prefix, str(place))) for place in nearest[:_MAX_PLACES]]


def _distance(place: Place, name: str, outer: Sequence[str]) -> tuple[bool, int, int]:
    """Return how far a place is: by another spelling, by the objects to leave and to enter."""
    objects = [each.removesuffix("[]") for each in place.path[:-1]]
    common = 0
    for one, other in zip(objects, outer, strict=False):
        if one != other:
            break
        common += 1
    return place.path[-1] != name, len(outer) - common, len(objects) - common


def _question(names: Sequence[str]) -> str:
    return f": did you mean {' or '.join(names)}?"


def _header_hint(name: str) -> str:
    header = _HEADERS.get(plain_name(name))
    return "" if header is None else f": it is a header, {header}"


def _members_hint(value: object, known: Sequence[str]) -> str:
    """Return that members of an unknown object are known beside it."""
    if not isinstance(value, dict):
        return ""
    members = [each for each in value if each in known][:_MAX_PLACES]
    return f": write its members here, without it: {', '.join(members)}" if members else ""


def _constant_hint(name: str, branches: Models) -> str:
    """Return the constant member of the first branch of a union that knows a name."""
    plain = plain_name(name)
    for model in branches if len(branches) > 1 else ():
        names = member_names(model)
        if plain in map(plain_name, names):
            for each, field in names.items():
                if field.is_required() and get_origin(field.annotation) is Literal:
                    return f': it goes with "{each}": "{get_args(field.annotation)[0]}"'
    return ""


def _value_hint(value: object, models: Models) -> str:
    """Return the only member that has a text among its listed values."""
    found = {
        name
        for model in models
        for name, field in member_names(model).items()
        if isinstance(value, str) and value in literal_values(field.annotation)
    }
    return _question([found.pop()]) if len(found) == 1 else ""


def _known_names(known: Sequence[str]) -> str:
    if len(known) > _MAX_KNOWN_NAMES:
        return ""
    return f"; known are {', '.join(known)}" if known else ""


def _spelling_hint(kind: str, value: object) -> str:
    """Return how a value is written that is text and should not be, or the other way round."""
    if kind in _NUMBER_KINDS and isinstance(value, str) and _NUMBER.fullmatch(value):
        return f", without quotes: {value}"
    if kind == "bool_type" and str(value).lower() in {"true", "false"}:
        return f", without quotes: {str(value).lower()}"
    if kind == "string_type" and isinstance(value, int | float):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f', in quotes: "{text}"' if len(text) <= MAX_NAME_CHARACTERS else ""
    return ""
