"""Check of a schema itself: its form, its patterns and its references."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeGuard

from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY, ObjectSchema, Schema

from chalicelib.core.json import Json
from chalicelib.engine.schemas.evaluator import SchemaFinding, truncated_pointer, validate_data

if TYPE_CHECKING:
    from referencing._core import Resolver

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
# One value for each group of keywords: those of objects, arrays, strings and numbers.
_SAMPLE_VALUES: Final[tuple[Json, ...]] = ({}, [], "", 0)
_MAX_SCHEMA_FINDINGS: Final = 100


@dataclass(frozen=True, slots=True)
class _Subschema:
    """Schema within the schema, with its path and the resolver of its references."""

    schema: Schema
    path: tuple[str | int, ...]
    resolver: "Resolver[Schema]"


def check_schema(schema: Json, prefix: str) -> list[SchemaFinding]:
    """Return the findings that make a schema unusable, at most a hundred."""
    findings = validate_data(Draft202012Validator.META_SCHEMA, schema, prefix)
    if not findings:
        assert _is_schema(schema)
        findings = list(_subschema_findings(schema, prefix))
    if not findings and _has_infinite_recursion(schema):
        findings = [(prefix, "not_allowed", "refers to itself without end")]
    return findings[:_MAX_SCHEMA_FINDINGS]


def _subschema_findings(schema: Schema, prefix: str) -> Iterator[SchemaFinding]:
    """Yield the findings of all schemas within this one and of all that it refers to."""
    root = EMPTY_REGISTRY.resolver_with_root(DRAFT202012.create_resource(schema))
    pending = [_Subschema(schema, (), root)]
    # By identity, because references may form cycles.
    seen: set[int] = set()
    while pending:
        subschema = pending.pop()
        if id(subschema.schema) in seen or not isinstance(subschema.schema, Mapping):
            continue
        seen.add(id(subschema.schema))
        pointer = truncated_pointer(prefix, subschema.path)
        yield from _keyword_findings(subschema.schema, pointer)
        pending += _subschemas(subschema.schema, subschema)
        for name in _REFERENCE_KEYWORDS:
            if name not in subschema.schema:
                continue
            target = _resolve_reference(subschema.schema[name], name, subschema)
            if target is None:
                message = "must lead to a place in this schema; nothing is fetched from elsewhere"
                yield f"{pointer}/{name}", "not_allowed", message
            elif id(target.schema) not in seen:
                # The target may be outside of all keywords that contain schemas.
                findings = validate_data(
                    Draft202012Validator.META_SCHEMA, target.schema, f"{pointer}/{name}"
                )
                yield from findings
                if not findings:
                    pending.append(target)


def _keyword_findings(schema: ObjectSchema, pointer: str) -> Iterator[SchemaFinding]:
    dialect = schema.get("$schema", _DIALECT)
    if str(dialect).rstrip("#") != _DIALECT:
        yield f"{pointer}/$schema", "not_allowed", f"must be {_DIALECT}"
    patterns = {f"{pointer}/pattern": schema["pattern"]} if "pattern" in schema else {}
    for name in schema.get("patternProperties", {}):
        patterns[truncated_pointer(pointer, ("patternProperties", name))] = name
    for pattern_pointer, pattern in patterns.items():
        reason = _pattern_error(pattern)
        if reason is not None:
            yield pattern_pointer, "wrong_format", f"is no regular expression: {reason}"


def _pattern_error(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        return str(error)
    return None


def _subschemas(schema: ObjectSchema, parent: _Subschema) -> Iterator[_Subschema]:
    """Yield the schemas directly inside one."""
    inner: dict[tuple[str | int, ...], Schema] = {
        (n,): schema[n] for n in _SUBSCHEMA_KEYWORDS if n in schema
    }
    for name in _SUBSCHEMA_LIST_KEYWORDS:
        inner |= {(name, n): child for n, child in enumerate(schema.get(name, ()))}
    for name in _SUBSCHEMA_MAP_KEYWORDS:
        inner |= {(name, key): child for key, child in schema.get(name, {}).items()}
    for path, child in inner.items():
        resolver = parent.resolver.in_subresource(DRAFT202012.create_resource(child))
        yield _Subschema(child, (*parent.path, *path), resolver)


def _resolve_reference(reference: str, name: str, parent: _Subschema) -> _Subschema | None:
    """Return the schema that a reference leads to, or None."""
    try:
        resolved = parent.resolver.lookup(reference)
    except (Unresolvable, ValueError, TypeError, KeyError):
        return None
    if not _is_schema(resolved.contents):
        return None
    return _Subschema(resolved.contents, (*parent.path, name), resolved.resolver)


def _is_schema(value: object) -> TypeGuard[Schema]:
    return isinstance(value, Mapping | bool)


def _has_infinite_recursion(schema: Json) -> bool:
    try:
        for sample in _SAMPLE_VALUES:
            validate_data(schema, sample, "")
    except RecursionError:
        return True
    return False
