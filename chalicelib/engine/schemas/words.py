"""What a finding of the evaluator says: a place, a code and a sentence, in the service's words."""

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final

from jsonschema.exceptions import ValidationError

type Finding = tuple[str, str, str]

_MOST_FINDINGS: Final = 100
_POINTER_CHARACTERS: Final = 1_000
_SHOWN_CHARACTERS: Final = 80
_SHOWN_VALUES: Final = 10
_NAMES: Final = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_FORMATS: Final = {
    "date": "must be a date such as 2026-01-31",
    "date-time": "must be a time with its offset, such as 2026-01-31T12:00:00Z",
    "email": "must be an email address",
}


def told(errors: Iterable[ValidationError], prefix: str) -> list[Finding]:
    """Return the first findings, each once."""
    found = (finding(error, prefix) for error in errors)
    return list(islice(dict.fromkeys(islice(found, 10 * _MOST_FINDINGS)), _MOST_FINDINGS))


def finding(error: ValidationError, prefix: str) -> Finding:
    """Return one finding; its place is a JSON Pointer below `prefix`."""
    code, words = _WORDS.get(str(error.validator), _REFUSED)
    message = words(error)
    if "propertyNames" in error.absolute_schema_path and isinstance(error.instance, str):
        message = f"the name {_shown(error.instance)} {message}"
    return pointer(prefix, error.absolute_path), code, message


def pointer(prefix: str, path: Iterable[str | int]) -> str:
    """Return a JSON Pointer, or where it is too long that of what holds its place."""
    text = prefix
    for step in path:
        longer = f"{text}/{str(step).replace('~', '~0').replace('/', '~1')}"
        if len(longer) > _POINTER_CHARACTERS:
            break
        text = longer
    return text


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"


def _listed(values: Iterable[Any]) -> str:
    shown = [_shown(value) for value in islice(values, _SHOWN_VALUES + 1)]
    more = ["…"] if len(shown) > _SHOWN_VALUES else []
    return ", ".join(shown[:_SHOWN_VALUES] + more)


def _type(error: ValidationError) -> str:
    kinds = error.validator_value
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return "must be " + " or ".join(_NAMES.get(kind, str(kind)) for kind in kinds)


def _required(error: ValidationError) -> str:
    # As found: of a condition's own requirement only what is missing is known.
    missing = [name for name in error.validator_value if name not in error.instance]
    return f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} required"


def _dependent(error: ValidationError) -> str:
    missing = {
        other
        for name, others in error.validator_value.items()
        if name in error.instance
        for other in others
        if other not in error.instance
    }
    return f"{_listed(sorted(missing))} must be there, too"


def _further(error: ValidationError) -> str:
    known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
    further = [name for name in error.instance if name not in known]
    if error.validator == "unevaluatedProperties" or not further:
        return "has properties that are not allowed"
    return f"may not have {_listed(further)}"


def _choice(error: ValidationError) -> str:
    if not error.context:
        return "fits more than one of the forms that it must fit exactly one of"
    nearest = max(error.context, key=lambda each: len(each.absolute_path))
    place, _, message = finding(nearest, "")
    base = pointer("", error.absolute_path)
    inner = place.removeprefix(base).lstrip("/")
    where = f"{inner} " if inner else ""
    return f"fits none of the allowed forms: {where}{message}"


def _format(error: ValidationError) -> str:
    return _FORMATS.get(error.validator_value, f"must be a {_shown(error.validator_value)}")


def _say(text: str) -> Callable[[ValidationError], str]:
    return lambda error: text.format(_shown(error.validator_value))


_RANGE: Final = "out_of_range"
_LENGTH: Final = "wrong_length"
_REFUSED: Final[tuple[str, Callable[[ValidationError], str]]] = (
    "not_allowed",
    lambda _: "is not allowed here",
)
_WORDS: Final[Mapping[str, tuple[str, Callable[[ValidationError], str]]]] = {
    "type": ("wrong_type", _type),
    "required": ("required", _required),
    "dependentRequired": ("required", _dependent),
    "enum": ("not_allowed", lambda error: f"must be one of {_listed(error.validator_value)}"),
    "const": ("not_allowed", _say("must be {}")),
    "additionalProperties": ("unknown", _further),
    "unevaluatedProperties": ("unknown", _further),
    "items": (_LENGTH, lambda _: "has more entries than are allowed"),
    "unevaluatedItems": (_LENGTH, lambda _: "has entries that are not allowed"),
    "minimum": (_RANGE, _say("must be at least {}")),
    "maximum": (_RANGE, _say("must be at most {}")),
    "exclusiveMinimum": (_RANGE, _say("must be more than {}")),
    "exclusiveMaximum": (_RANGE, _say("must be less than {}")),
    "multipleOf": (_RANGE, _say("must be a multiple of {}")),
    "minLength": (_LENGTH, _say("must have at least {} characters")),
    "maxLength": (_LENGTH, _say("must have at most {} characters")),
    "minItems": (_LENGTH, _say("must have at least {} entries")),
    "maxItems": (_LENGTH, _say("must have at most {} entries")),
    "minProperties": (_LENGTH, _say("must have at least {} properties")),
    "maxProperties": (_LENGTH, _say("must have at most {} properties")),
    "uniqueItems": ("not_allowed", lambda _: "must not hold the same entry twice"),
    "contains": ("not_allowed", lambda _: "must hold an entry of the required form"),
    "minContains": ("not_allowed", lambda _: "holds too few entries of the required form"),
    "maxContains": ("not_allowed", lambda _: "holds too many entries of the required form"),
    "pattern": ("wrong_format", _say("must match {}")),
    "format": ("wrong_format", _format),
    "anyOf": ("not_allowed", _choice),
    "oneOf": ("not_allowed", _choice),
    "not": ("not_allowed", lambda _: "has a form that is not allowed"),
}
