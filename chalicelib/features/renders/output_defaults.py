"""Output options of rows: only differences from the defaults are stored."""

from collections.abc import Mapping
from functools import cache

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.renders.accept.redact_request import redacted_options


def output_differences(output: JsonObject) -> JsonObject | None:
    """Return the options that differ from their defaults; None if some have been left out."""
    differences = _differences(output, _defaults())
    return differences if with_defaults(differences) == output else None


def with_defaults(differences: JsonObject) -> JsonObject:
    """Return the output that `output_differences` was given."""
    return _merge(differences, _defaults())


@cache
def _defaults() -> JsonObject:
    """Return the redacted options of a request that asks for none."""
    return redacted_options(OutputOptions())


def _differences(value: JsonObject, defaults: JsonObject) -> JsonObject:
    found: dict[str, Json] = {}
    for name, member in value.items():
        default = defaults.get(name)
        if isinstance(member, Mapping) and isinstance(default, Mapping):
            if member != default:
                found[name] = _differences(member, default)
        elif member != default or name not in defaults:
            found[name] = member
    return found


def _merge(differences: JsonObject, defaults: JsonObject) -> JsonObject:
    merged: dict[str, Json] = dict(differences)
    for name, default in defaults.items():
        difference = differences.get(name)
        if name not in differences:
            merged[name] = default
        elif isinstance(default, Mapping) and isinstance(difference, Mapping):
            merged[name] = _merge(difference, default)
    return merged
