"""Evaluates data against a schema, which is whole in itself: nothing is fetched."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend
from referencing.jsonschema import EMPTY_REGISTRY

from chalicelib.engine.schemas.formats import FORMATS
from chalicelib.engine.schemas.words import Finding, told


def findings(schema: Any, data: Any, prefix: str) -> list[Finding]:
    """Return what keeps data from fitting a sound schema, the first hundred of it."""
    if isinstance(schema, Mapping):
        # It would call for an evaluator that counts otherwise; there is but one dialect.
        schema = {name: value for name, value in schema.items() if name != "$schema"}
    evaluator = _Validator(schema, registry=EMPTY_REGISTRY, format_checker=_FORMAT_CHECKER)
    return told(evaluator.iter_errors(data), prefix)


def _checker() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, is_it in FORMATS.items():
        checker.checkers[name] = (_of_text(is_it), ())
    return checker


def _multiple_of(
    evaluator: Any, step: float, value: Any, _schema: Any
) -> Iterator[ValidationError]:
    """Count as people write numbers: 1.13 is a multiple of 0.01, which no double is."""
    if evaluator.is_type(value, "number") and _exact(value) % _exact(step):
        yield ValidationError("is no multiple")


def _exact(number: float) -> Fraction:
    return Fraction(Decimal(repr(number)))


def _of_text(is_it: Any) -> Any:
    return lambda value: not isinstance(value, str) or is_it(value)


_FORMAT_CHECKER: Final = _checker()
_Validator: Final = extend(Draft202012Validator, {"multipleOf": _multiple_of})
