"""Faults of a request: pydantic's errors become `errors[]` of the problem."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from chalicelib.contract.aliases import path_as_given
from chalicelib.contract.hints import Hints
from chalicelib.contract.later_faults import is_of_absence, validate_without
from chalicelib.core.errors import MAX_ERRORS, FieldError, ServiceError, json_pointer
from chalicelib.core.text import mismatch_message

# Beside the first one.
_MAX_VALIDATIONS: Final = 3

type _Location = Sequence[str | int]
_ABSENT: Final = object()
_TYPE: Final = "wrong_type"
_RANGE: Final = "out_of_range"
_LENGTH: Final = "wrong_length"
_TIME_KINDS: Final = frozenset({"datetime_parsing", "datetime_from_date_parsing", "timezone_aware"})
_OFFSET_BEHIND_BLANK: Final = re.compile(r":[0-9]{2}(?:\.[0-9]+)? [0-9]{2}:[0-9]{2}$")


def to_service_error[V](
    model: type[BaseModel],
    error: ValidationError,
    value: V,
    prefix: str = "",
    *,
    validate: Callable[[V], object] | None = None,
) -> ServiceError:
    """Return the `validation_error` with one entry for each invalid field, at most MAX_ERRORS.

    Their messages end with what was meant, where that is known. With `validate` they are also those
    of a second validation, without the members at fault.
    """
    faults = _faults(error, value, prefix)
    if validate is not None:
        _add_later_faults(faults, value, prefix, validate)
    hints = Hints(model, value, prefix)
    errors = [
        FieldError(each.pointer, each.code, each.message + _hint(hints, each, value))
        for each in list(faults.values())[:MAX_ERRORS]
    ]
    first = errors[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return ServiceError(
        "validation_error",
        f"{first.path or 'The body'}: {first.message}{more}",
        errors=errors,
    )


class _Fault(NamedTuple):
    """Fault of a member: of all branches of a union, each with its kind and message."""

    pointer: str
    path: _Location
    code: str
    message: str
    kinds: Sequence[tuple[str, str]]


def _merge(known: _Fault | None, fault: _Fault) -> _Fault:
    if known is None:
        return fault
    if fault.message in known.message:
        return known
    # Each branch of a union has its own error, and one of them has to be met.
    message = f"{known.message}, or {fault.message}"
    return known._replace(message=message, kinds=[*known.kinds, *fault.kinds])


def _faults(error: ValidationError, value: object, prefix: str) -> "dict[str, _Fault]":
    """Return the faults by their pointers."""
    faults: dict[str, _Fault] = {}
    for finding in error.errors(include_url=False, include_input=False):
        fault = _fault(finding, value, prefix)
        faults[fault.pointer] = _merge(faults.get(fault.pointer), fault)
    return faults


def _add_later_faults[V](
    faults: "dict[str, _Fault]", value: V, prefix: str, validate: Callable[[V], object]
) -> None:
    """Add the faults of members that go together, which a member at fault has hidden."""
    found, rest, removed = dict(faults), value, set[str]()
    # A check of an object runs only after those of the objects in it.
    for _ in range(_MAX_VALIDATIONS):
        # Each member that is taken out copies those beside it.
        if max(len(faults), len(found)) >= MAX_ERRORS:
            return
        for each in found.values():
            if each.code != "unknown":
                removed |= {each.pointer, *each.pointer.split("/")[1:]}
        later = validate_without([each.path for each in found.values()], rest, validate)
        if later is None:
            return
        error, rest = later
        found = _faults(error, rest, prefix)
        for pointer, fault in found.items():
            if pointer not in faults and not is_of_absence(pointer, fault.message, removed):
                faults[pointer] = fault


def _hint(hints: Hints, fault: _Fault, value: object) -> str:
    given = value_at(value, fault.path)
    found = (hints.hint(kind, fault.path, given, message) for kind, message in fault.kinds)
    return next(filter(None, found), "")


def _fault(finding: ErrorDetails, value: object, prefix: str) -> _Fault:
    kind, context = finding["type"], finding.get("ctx", {})
    code, message_of = _MESSAGES.get(kind, ("invalid", _default_message))
    path = json_path(value, finding)
    if kind in {"union_tag_not_found", "union_tag_invalid"}:
        # pydantic locates the union, and the contract the member that chooses its branch.
        path.append(str(context["discriminator"]).strip("'"))
    message = message_of(finding, context)
    is_time_of_query = prefix == "/query" and kind in _TIME_KINDS
    if is_time_of_query and _OFFSET_BEHIND_BLANK.search(str(value_at(value, path))):
        message += "; in a query + is a blank, so write it %2B"
    return _Fault(json_pointer(path, prefix), path, code, message, [(kind, message)])


def value_at(value: object, path: _Location) -> object:
    """Return the value at a path, or an object that is equal to no value."""
    for step in path:
        value = _member(value, step)
    return value


def json_path(value: object, finding: ErrorDetails) -> list[str | int]:
    """Return the path of a finding in the JSON."""
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
