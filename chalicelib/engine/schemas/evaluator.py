"""Evaluator of data against a self-contained JSON Schema; it fetches nothing."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Final

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing.jsonschema import EMPTY_REGISTRY

from chalicelib.core.json import Json
from chalicelib.engine.schemas.formats import FORMATS

type SchemaFinding = tuple[str, str, str]

_MAX_FINDINGS: Final = 100
_MAX_POINTER_CHARACTERS: Final = 1_000
_MAX_SHOWN_CHARACTERS: Final = 80
_MAX_SHOWN_VALUES: Final = 10
_TYPE_NAMES: Final = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_FORMAT_MESSAGES: Final = {
    "date": "must be a date such as 2026-01-31",
    "date-time": "must be a time with its offset, such as 2026-01-31T12:00:00Z",
    "email": "must be an email address",
}


def validate_data(schema: Json, data: Json, prefix: str) -> list[SchemaFinding]:
    """Return the first hundred findings that keep data from fitting a valid schema."""
    if isinstance(schema, Mapping):
        # `$schema` would make jsonschema switch to its own validator, without our `multipleOf`.
        schema = {name: value for name, value in schema.items() if name != "$schema"}
    evaluator = _Validator(schema, registry=EMPTY_REGISTRY, format_checker=_FORMAT_CHECKER)
    return collect_findings(evaluator.iter_errors(data), prefix)


def collect_findings(errors: Iterable[ValidationError], prefix: str) -> list[SchemaFinding]:
    """Return the first hundred findings, without duplicates.

    Of an endless number of errors, only ten times as many are looked at.
    """
    findings = (to_finding(error, prefix) for error in errors)
    return list(islice(dict.fromkeys(islice(findings, 10 * _MAX_FINDINGS)), _MAX_FINDINGS))


def to_finding(error: ValidationError, prefix: str) -> SchemaFinding:
    """Return an error as a finding: a JSON Pointer below `prefix`, a code and a message."""
    code, describe = _MESSAGES.get(str(error.validator), _DEFAULT_MESSAGE)
    message = describe(error)
    if "propertyNames" in error.absolute_schema_path and isinstance(error.instance, str):
        message = f"the name {_json_excerpt(error.instance)} {message}"
    return truncated_pointer(prefix, error.absolute_path), code, message


def truncated_pointer(prefix: str, path: Iterable[str | int]) -> str:
    """Return a JSON Pointer; a pointer that is too long is cut to that of a parent."""
    pointer = prefix
    for step in path:
        extended = f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"
        if len(extended) > _MAX_POINTER_CHARACTERS:
            break
        pointer = extended
    return pointer


def _json_excerpt(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[: _MAX_SHOWN_CHARACTERS - 1]}…"


def _value_list(values: Iterable[Json]) -> str:
    shown = [_json_excerpt(value) for value in islice(values, _MAX_SHOWN_VALUES + 1)]
    ellipsis = ["…"] if len(shown) > _MAX_SHOWN_VALUES else []
    return ", ".join(shown[:_MAX_SHOWN_VALUES] + ellipsis)


def _type_message(error: ValidationError) -> str:
    types = error.validator_value
    types = [types] if isinstance(types, str) else types
    return "must be " + " or ".join(
        _TYPE_NAMES.get(type_name, str(type_name)) for type_name in types
    )


def _required_message(error: ValidationError) -> str:
    # jsonschema reports each missing property by itself; this message names all of them at once.
    missing = [name for name in error.validator_value if name not in error.instance]
    return f"{_value_list(missing)} {'is' if len(missing) == 1 else 'are'} required"


def _dependent_required_message(error: ValidationError) -> str:
    missing = {
        other
        for name, others in error.validator_value.items()
        if name in error.instance
        for other in others
        if other not in error.instance
    }
    return f"{_value_list(sorted(missing))} must be there, too"


def _additional_properties_message(error: ValidationError) -> str:
    known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
    further = [name for name in error.instance if name not in known]
    if error.validator == "unevaluatedProperties" or not further:
        return "has properties that are not allowed"
    return f"may not have {_value_list(further)}"


def _any_of_message(error: ValidationError) -> str:
    if not error.context:
        return "fits more than one of the forms that it must fit exactly one of"
    nearest = max(error.context, key=lambda suberror: len(suberror.absolute_path))
    pointer, _, message = to_finding(nearest, "")
    base = truncated_pointer("", error.absolute_path)
    relative_path = pointer.removeprefix(base).lstrip("/")
    location = f"{relative_path} " if relative_path else ""
    return f"fits none of the allowed forms: {location}{message}"


def _format_message(error: ValidationError) -> str:
    return _FORMAT_MESSAGES.get(
        error.validator_value, f"must be a {_json_excerpt(error.validator_value)}"
    )


def _message_from(text: str) -> Callable[[ValidationError], str]:
    return lambda error: text.format(_json_excerpt(error.validator_value))


_RANGE: Final = "out_of_range"
_LENGTH: Final = "wrong_length"
_DEFAULT_MESSAGE: Final[tuple[str, Callable[[ValidationError], str]]] = (
    "not_allowed",
    lambda _: "is not allowed here",
)
_MESSAGES: Final[Mapping[str, tuple[str, Callable[[ValidationError], str]]]] = {
    "type": ("wrong_type", _type_message),
    "required": ("required", _required_message),
    "dependentRequired": ("required", _dependent_required_message),
    "enum": ("not_allowed", lambda error: f"must be one of {_value_list(error.validator_value)}"),
    "const": ("not_allowed", _message_from("must be {}")),
    "additionalProperties": ("unknown", _additional_properties_message),
    "unevaluatedProperties": ("unknown", _additional_properties_message),
    "items": (_LENGTH, lambda _: "has more entries than are allowed"),
    "unevaluatedItems": (_LENGTH, lambda _: "has entries that are not allowed"),
    "minimum": (_RANGE, _message_from("must be at least {}")),
    "maximum": (_RANGE, _message_from("must be at most {}")),
    "exclusiveMinimum": (_RANGE, _message_from("must be more than {}")),
    "exclusiveMaximum": (_RANGE, _message_from("must be less than {}")),
    "multipleOf": (_RANGE, _message_from("must be a multiple of {}")),
    "minLength": (_LENGTH, _message_from("must have at least {} characters")),
    "maxLength": (_LENGTH, _message_from("must have at most {} characters")),
    "minItems": (_LENGTH, _message_from("must have at least {} entries")),
    "maxItems": (_LENGTH, _message_from("must have at most {} entries")),
    "minProperties": (_LENGTH, _message_from("must have at least {} properties")),
    "maxProperties": (_LENGTH, _message_from("must have at most {} properties")),
    "uniqueItems": ("not_allowed", lambda _: "must not hold the same entry twice"),
    "contains": ("not_allowed", lambda _: "must hold an entry of the required form"),
    "minContains": ("not_allowed", lambda _: "holds too few entries of the required form"),
    "maxContains": ("not_allowed", lambda _: "holds too many entries of the required form"),
    "pattern": ("wrong_format", _message_from("must match {}")),
    "format": ("wrong_format", _format_message),
    "anyOf": ("not_allowed", _any_of_message),
    "oneOf": ("not_allowed", _any_of_message),
    "not": ("not_allowed", lambda _: "has a form that is not allowed"),
}


def _create_format_checker() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, is_valid in FORMATS.items():
        checker.checkers[name] = (_strings_only(is_valid), ())
    return checker


def _multiple_of(
    evaluator: Draft202012Validator, step: float, value: object, _schema: object
) -> Iterator[ValidationError]:
    """Check `multipleOf` with exact decimals.

    1.13 is a multiple of 0.01, which holds for decimals but not for doubles.
    """
    if (
        isinstance(value, int | float)
        and evaluator.is_type(value, "number")
        and _exact_fraction(value) % _exact_fraction(step)
    ):
        yield ValidationError("is no multiple")


def _exact_fraction(number: float) -> Fraction:
    return Fraction(Decimal(repr(number)))


def _strings_only(is_valid: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or is_valid(value)


_FORMAT_CHECKER: Final = _create_format_checker()
_Validator: Final = extend(Draft202012Validator, {"multipleOf": _multiple_of})
