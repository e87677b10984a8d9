"""Evaluates data against a schema, which is whole in itself: nothing is fetched."""

from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker
from referencing.jsonschema import EMPTY_REGISTRY

from chalicelib.engine.schemas.formats import FORMATS
from chalicelib.engine.schemas.words import Finding, told


def findings(schema: Any, data: Any, prefix: str) -> list[Finding]:
    """Return what keeps data from fitting a sound schema, the first hundred of it."""
    evaluator = Draft202012Validator(
        schema, registry=EMPTY_REGISTRY, format_checker=_FORMAT_CHECKER
    )
    return told(evaluator.iter_errors(data), prefix)


def _checker() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, is_it in FORMATS.items():
        checker.checkers[name] = (_of_text(is_it), ())
    return checker


def _of_text(is_it: Any) -> Any:
    return lambda value: not isinstance(value, str) or is_it(value)


_FORMAT_CHECKER: Final = _checker()
