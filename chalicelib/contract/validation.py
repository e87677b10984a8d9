"""Validation of bodies and query parameters; pydantic's errors become `errors[]` of the problem."""

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from chalicelib.contract.aliases import aliases_of, path_as_given, read_aliases
from chalicelib.contract.base import Query
from chalicelib.core import json
from chalicelib.core.errors import FieldError, ServiceError, json_pointer, validation_error
from chalicelib.core.text import mismatch_message

MAX_ERRORS: Final = 100

type _Location = Sequence[str | int]
_ABSENT: Final = object()
_TYPE: Final = "wrong_type"
_RANGE: Final = "out_of_range"
_LENGTH: Final = "wrong_length"
_TIME_KINDS: Final = frozenset({"datetime_parsing", "datetime_from_date_parsing", "timezone_aware"})
_KEYED_NAME: Final = re.compile(r"(?P<name>[a-z_]+)\[(?P<key>.*)\]", re.DOTALL)
_OFFSET_BEHIND_BLANK: Final = re.compile(r":[0-9]{2}(?:\.[0-9]+)? [0-9]{2}:[0-9]{2}$")


def read_body[M: BaseModel](model: type[M], raw: bytes, value: object) -> M:
    """Validate a body, given as bytes and as the value parsed from it; raise `validation_error`."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        whole = _with_whole_numbers(error, value)
        if whole is None:
            raise to_service_error(error, value) from None
    try:
        return model.model_validate_json(json.dumps(whole))
    except ValidationError as error:
        raise to_service_error(error, whole) from None


def read_part[M: BaseModel](model: type[M], value: Mapping[str, object], pointer: str) -> M:
    """Validate an object of a body whose model depends on the rest; raise `validation_error`."""
    try:
        return model.model_validate(dict(value))
    except ValidationError as error:
        whole = _with_whole_numbers(error, value)
        if whole is None:
            raise to_service_error(error, value, pointer) from None
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
    try:
        return model.model_validate_strings(read_aliases(aliases_of(model), members))
    except ValidationError as error:
        raise to_service_error(error, members, "/query") from None


def to_service_error(error: ValidationError, value: object, prefix: str = "") -> ServiceError:
    """Return the `validation_error` with one entry for each invalid field, at most MAX_ERRORS."""
    merged: dict[str, FieldError] = {}
    for finding in error.errors(include_url=False, include_input=False):
        entry = _field_error(finding, value, prefix)
        known = merged.get(entry.path)
        if known is not None and entry.message not in known.message:
            # Each branch of a union has its own error, and one of them has to be met.
            entry = FieldError(entry.path, known.code, f"{known.message}, or {entry.message}")
        merged[entry.path] = entry if known is None or entry.message != known.message else known
    errors = list(merged.values())[:MAX_ERRORS]
    first = errors[0]
    more = f" (and {len(merged) - 1} more)" if len(merged) > 1 else ""
    return ServiceError(
        "validation_error",
        f"{first.path or 'The body'}: {first.message}{more}",
        errors=errors,
    )


def _field_error(finding: ErrorDetails, value: object, prefix: str) -> FieldError:
    kind, context = finding["type"], finding.get("ctx", {})
    code, message_of = _MESSAGES.get(kind, ("invalid", _default_message))
    path = _json_path(value, finding)
    if kind in {"union_tag_not_found", "union_tag_invalid"}:
        # pydantic locates the union, and the contract the member that chooses its branch.
        path.append(str(context["discriminator"]).strip("'"))
    message = message_of(finding, context)
    is_time_of_query = prefix == "/query" and kind in _TIME_KINDS
    if is_time_of_query and _OFFSET_BEHIND_BLANK.search(str(_value_at(value, path))):
        message += "; in a query + is a blank, so write it %2B"
    return FieldError(json_pointer(path, prefix), code, message)


def _with_whole_numbers[V](error: ValidationError, value: V) -> V | None:
    """Return a copy in which whole numbers written as 7.0 are 7 where integers are expected.

    Without such numbers the result is None, as a second check would find the same.
    """
    whole = None
    for finding in error.errors(include_url=False, include_input=False):
        path = _json_path(value, finding) if finding["type"] == "int_type" else []
        found = _value_at(value, path)
        if isinstance(found, float) and found.is_integer():
            whole = copy.deepcopy(value) if whole is None else whole
            holder = cast("dict[str | int, object]", _value_at(whole, path[:-1]))
            holder[path[-1]] = int(found)
    return whole


def _value_at(value: object, path: _Location) -> object:
    for step in path:
        value = _member(value, step)
    return value


def _json_path(value: object, finding: ErrorDetails) -> list[str | int]:
    # pydantic's location also names branches of unions and `[key]`, which are not part of the JSON.
    steps = list(finding["loc"])
    missing = steps.pop() if finding["type"] == "missing" and steps else None
    path: list[str | int] = []
    behind = 0
    for n, step in enumerate(steps):
        if n < behind:
            continue
        given = path_as_given(value, steps[n:])
        if given is not None:
            names, replaced = given
            path.extend(names)
            behind = n + replaced
            for name in names:
                value = _member(value, name)
            continue
        inner = _member(value, step)
        if inner is _ABSENT or _is_union_branch(value, inner, steps[n + 1 : n + 2]):
            continue
        path.append(step)
        value = inner
    return path if missing is None else [*path, missing]


def _is_union_branch(value: object, inner: object, following: _Location) -> bool:
    # A branch may have the name of a field next to it: `{"kind": "arm", "arm": …}`.
    return any(_member(inner, step) is _ABSENT is not _member(value, step) for step in following)


def _member(value: object, step: str | int) -> object:
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return _ABSENT


def _default_message(finding: ErrorDetails, context: Mapping[str, object]) -> str:
    reason = context.get("error")
    text = str(reason) if reason is not None else finding["msg"]
    return text.replace("Input should be", "must be").replace("Input should", "must")


def _message_from(text: str) -> Callable[[ErrorDetails, Mapping[str, object]], str]:
    return lambda _, context: text.format_map(context)


_MESSAGES: Final[Mapping[str, tuple[str, Callable[[ErrorDetails, Mapping[str, object]], str]]]] = {
    "missing": ("required", _message_from("is required")),
    "extra_forbidden": ("unknown", _message_from("is not known here")),
    "string_type": (_TYPE, _message_from("must be a string")),
    # Errors of validators of the contract.
    "length_type": (_TYPE, _default_message),
    "not_in_pdf": ("not_allowed", _default_message),
    "tolerated_name": ("invalid", _default_message),
    "int_type": (_TYPE, _message_from("must be a whole number")),
    "int_from_float": (_TYPE, _message_from("must be a whole number")),
    "int_parsing": (_TYPE, _message_from("must be a whole number")),
    "int_parsing_size": (_RANGE, _message_from("is too large a number")),
    "float_type": (_TYPE, _message_from("must be a number")),
    "float_parsing": (_TYPE, _message_from("must be a number")),
    "bool_type": (_TYPE, _message_from("must be true or false")),
    "bool_parsing": (_TYPE, _message_from("must be true or false")),
    "dict_type": (_TYPE, _message_from("must be an object")),
    "model_type": (_TYPE, _message_from("must be an object")),
    "model_attributes_type": (_TYPE, _message_from("must be an object")),
    "list_type": (_TYPE, _message_from("must be an array")),
    "tuple_type": (_TYPE, _message_from("must be an array")),
    "none_required": (_TYPE, _message_from("must be null")),
    "literal_error": ("not_allowed", _message_from("must be {expected}")),
    "enum": ("not_allowed", _message_from("must be {expected}")),
    "union_tag_invalid": (
        "not_allowed",
        _message_from("{discriminator} must be one of {expected_tags}"),
    ),
    "union_tag_not_found": ("required", _message_from("is required")),
    "greater_than": (_RANGE, _message_from("must be more than {gt}")),
    "greater_than_equal": (_RANGE, _message_from("must be at least {ge}")),
    "multiple_of": ("not_allowed", _message_from("must be a multiple of {multiple_of}")),
    "less_than": (_RANGE, _message_from("must be less than {lt}")),
    "less_than_equal": (_RANGE, _message_from("must be at most {le}")),
    "string_too_short": (_LENGTH, _message_from("must have at least {min_length} characters")),
    "string_too_long": (_LENGTH, _message_from("must have at most {max_length} characters")),
    "too_short": (_LENGTH, _message_from("must have at least {min_length} entries")),
    "too_long": (_LENGTH, _message_from("must have at most {max_length} entries")),
    "string_pattern_mismatch": (
        "wrong_format",
        lambda _, context: mismatch_message(str(context["pattern"])),
    ),
    "timezone_aware": (
        "wrong_format",
        _message_from("must be an RFC 3339 time with its offset"),
    ),
    "datetime_parsing": (
        "wrong_format",
        _message_from("must be an RFC 3339 time with its offset"),
    ),
    "datetime_from_date_parsing": (
        "wrong_format",
        _message_from("must be an RFC 3339 time with its offset"),
    ),
    "date_from_datetime_parsing": (
        "wrong_format",
        _message_from("must be a date such as 2026-01-31"),
    ),
    "date_parsing": ("wrong_format", _message_from("must be a date such as 2026-01-31")),
}
