"""Validation of bodies and query parameters."""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Final, cast

from pydantic import BaseModel, ValidationError

from chalicelib.contract.aliases import aliases_of, read_aliases
from chalicelib.contract.base import Query
from chalicelib.contract.faults import json_path, to_service_error, value_at
from chalicelib.core import json
from chalicelib.core.errors import validation_error

_KEYED_NAME: Final = re.compile(r"(?P<name>[a-z_]+)\[(?P<key>.*)\]", re.DOTALL)


def read_body[M: BaseModel](model: type[M], raw: bytes, value: object) -> M:
    """Validate a body, given as bytes and as the value parsed from it; raise `validation_error`."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        whole = _with_whole_numbers(error, value)
        if whole is None:
            raise to_service_error(model, error, value, validate=_read_json(model)) from None
    try:
        return model.model_validate_json(json.dumps(whole))
    except ValidationError as error:
        raise to_service_error(model, error, whole, validate=_read_json(model)) from None


def read_part[M: BaseModel](model: type[M], value: Mapping[str, object], pointer: str) -> M:
    """Validate an object of a body whose model depends on the rest; raise `validation_error`."""
    try:
        return model.model_validate(dict(value))
    except ValidationError as error:
        whole = _with_whole_numbers(error, value)
        if whole is None:
            raise to_service_error(
                model, error, value, pointer, validate=model.model_validate
            ) from None
    return read_part(model, whole, pointer)


def read_query[M: Query](model: type[M], texts: Mapping[str, str]) -> M:
    """Validate query parameters; raise `validation_error` with pointers below `/query`."""
    members: dict[str, json.Json] = {}
    objects: dict[str, dict[str, json.Json]] = {}
    for name, text in texts.items():
        keyed = _KEYED_NAME.fullmatch(name)
        if keyed is not None and keyed["name"] in model.keyed:
            objects.setdefault(keyed["name"], {})[keyed["key"]] = text
        else:
            members[name] = text
    for name in objects.keys() & members.keys():
        raise validation_error(f"/query/{name}", f"is given beside {name}[…]: give one of them")
    members |= objects

    def read(texts: Mapping[str, json.Json]) -> M:
        return model.model_validate_strings(read_aliases(aliases_of(model), texts))

    try:
        return read(members)
    except ValidationError as error:
        raise to_service_error(model, error, members, "/query", validate=read) from None


def _read_json(model: type[BaseModel]) -> Callable[[object], object]:
    return lambda value: model.model_validate_json(json.dumps(cast("json.Json", value)))


def _with_whole_numbers[V](error: ValidationError, value: V) -> V | None:
    """Return a copy in which whole numbers written as 7.0 are 7 where integers are expected.

    Without such numbers the result is None, as a second check would find the same.
    """
    whole = None
    for finding in error.errors(include_url=False, include_input=False):
        path = json_path(value, finding) if finding["type"] == "int_type" else []
        found = value_at(value, path)
        if isinstance(found, float) and found.is_integer():
            whole = copy.deepcopy(value) if whole is None else whole
            holder = cast("dict[str | int, object]", value_at(whole, path[:-1]))
            holder[path[-1]] = int(found)
    return whole
