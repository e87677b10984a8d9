"""Tells what is wrong with a schema itself: its form, its patterns, what it refers to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY

from chalicelib.engine.schemas.evaluator import SchemaFinding, truncated_pointer, validate_data

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_SUBSCHEMA_KEYWORDS: Final = (
    *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_SUBSCHEMA_LIST_KEYWORDS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SUBSCHEMA_MAP_KEYWORDS: Final = (
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
)
_REFERENCE_KEYWORDS: Final = ("$ref", "$dynamicRef")
_SAMPLE_VALUES: Final[tuple[Any, ...]] = ({}, [], "", 0)
_MAX_SCHEMA_FINDINGS: Final = 100


@dataclass(frozen=True, slots=True)
class _Subschema:
    """A schema within the schema, where it stands, and from where its references lead."""

    schema: Any
    path: tuple[str | int, ...]
    resolver: Any


def check_schema(schema: Any, prefix: str) -> list[SchemaFinding]:
    """Return what keeps a schema from being used."""
    found = validate_data(Draft202012Validator.META_SCHEMA, schema, prefix)
    if not found:
        found = list(_subschema_findings(schema, prefix))
    if not found and _has_infinite_recursion(schema):
        found = [(prefix, "not_allowed", "refers to itself without end")]
    return found[:_MAX_SCHEMA_FINDINGS]


def _subschema_findings(schema: Any, prefix: str) -> Iterator[SchemaFinding]:
    """Walk through every schema that this one is made of, and those that they refer to."""
    root = EMPTY_REGISTRY.resolver_with_root(DRAFT202012.create_resource(schema))
    todo = [_Subschema(schema, (), root)]
    seen: set[int] = set()
    while todo:
        place = todo.pop()
        if id(place.schema) in seen or not isinstance(place.schema, Mapping):
            continue
        seen.add(id(place.schema))
        at = truncated_pointer(prefix, place.path)
        yield from _keyword_findings(place.schema, at)
        todo += _subschemas(place)
        for name in _REFERENCE_KEYWORDS:
            if name not in place.schema:
                continue
            target = _resolve_reference(place, name)
            if target is None:
                message = "must lead to a place in this schema; nothing is fetched from elsewhere"
                yield f"{at}/{name}", "not_allowed", message
            elif id(target.schema) not in seen:
                # It may stand where no schema is looked for.
                yield from validate_data(
                    Draft202012Validator.META_SCHEMA, target.schema, f"{at}/{name}"
                )
                todo.append(target)


def _keyword_findings(schema: Mapping[str, Any], at: str) -> Iterator[SchemaFinding]:
    dialect = schema.get("$schema", _DIALECT)
    if str(dialect).rstrip("#") != _DIALECT:
        yield f"{at}/$schema", "not_allowed", f"must be {_DIALECT}"
    patterns = {f"{at}/pattern": schema["pattern"]} if "pattern" in schema else {}
    for name in schema.get("patternProperties", {}):
        patterns[truncated_pointer(at, ("patternProperties", name))] = name
    for place, pattern in patterns.items():
        reason = _pattern_error(pattern)
        if reason is not None:
            yield place, "wrong_format", f"is no regular expression: {reason}"


def _pattern_error(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        return str(error)
    return None


def _subschemas(place: _Subschema) -> Iterator[_Subschema]:
    """Return the schemas that stand in one."""
    schema = place.schema
    inner: dict[tuple[str | int, ...], Any] = {
        (n,): schema[n] for n in _SUBSCHEMA_KEYWORDS if n in schema
    }
    for name in _SUBSCHEMA_LIST_KEYWORDS:
        inner |= {(name, n): each for n, each in enumerate(schema.get(name, ()))}
    for name in _SUBSCHEMA_MAP_KEYWORDS:
        inner |= {(name, key): each for key, each in schema.get(name, {}).items()}
    for path, each in inner.items():
        resolver = place.resolver.in_subresource(DRAFT202012.create_resource(each))
        yield _Subschema(each, (*place.path, *path), resolver)


def _resolve_reference(place: _Subschema, name: str) -> _Subschema | None:
    """Return what a reference leads to, if that is a schema."""
    try:
        found = place.resolver.lookup(place.schema[name])
    except (Unresolvable, ValueError, TypeError, KeyError):
        return None
    if not isinstance(found.contents, Mapping | bool):
        return None
    return _Subschema(found.contents, (*place.path, name), found.resolver)


def _has_infinite_recursion(schema: Any) -> bool:
    try:
        for sample in _SAMPLE_VALUES:
            validate_data(schema, sample, "")
    except RecursionError:
        return True
    return False
