"""Tells what is wrong with a schema itself: its form, its patterns, what it refers to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY

from chalicelib.engine.schemas.evaluator import findings
from chalicelib.engine.schemas.words import Finding, pointer

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_ONE: Final = (
    *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_SOME: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_REFERENCES: Final = ("$ref", "$dynamicRef")
_SAMPLES: Final[tuple[Any, ...]] = ({}, [], "", 0)
_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class _Place:
    """A schema within the schema, where it stands, and from where its references lead."""

    schema: Any
    path: tuple[str | int, ...]
    resolver: Any


def faults(schema: Any, prefix: str) -> list[Finding]:
    """Return what keeps a schema from being used."""
    found = findings(Draft202012Validator.META_SCHEMA, schema, prefix)
    if not found:
        found = list(_faults_within(schema, prefix))
    if not found and _is_endless(schema):
        found = [(prefix, "not_allowed", "refers to itself without end")]
    return found[:_MOST]


def _faults_within(schema: Any, prefix: str) -> Iterator[Finding]:
    """Walk through every schema that this one is made of, and those that they refer to."""
    root = EMPTY_REGISTRY.resolver_with_root(DRAFT202012.create_resource(schema))
    todo = [_Place(schema, (), root)]
    seen: set[int] = set()
    while todo:
        place = todo.pop()
        if id(place.schema) in seen or not isinstance(place.schema, Mapping):
            continue
        seen.add(id(place.schema))
        at = pointer(prefix, place.path)
        yield from _own_faults(place.schema, at)
        todo += _parts(place)
        for name in _REFERENCES:
            if name not in place.schema:
                continue
            target = _target(place, name)
            if target is None:
                message = "must lead to a place in this schema; nothing is fetched from elsewhere"
                yield f"{at}/{name}", "not_allowed", message
            elif id(target.schema) not in seen:
                # It may stand where no schema is looked for.
                yield from findings(Draft202012Validator.META_SCHEMA, target.schema, f"{at}/{name}")
                todo.append(target)


def _own_faults(schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    dialect = schema.get("$schema", _DIALECT)
    if str(dialect).rstrip("#") != _DIALECT:
        yield f"{at}/$schema", "not_allowed", f"must be {_DIALECT}"
    patterns = {f"{at}/pattern": schema["pattern"]} if "pattern" in schema else {}
    for name in schema.get("patternProperties", {}):
        patterns[pointer(at, ("patternProperties", name))] = name
    for place, pattern in patterns.items():
        reason = _not_compiled(pattern)
        if reason is not None:
            yield place, "wrong_format", f"is no regular expression: {reason}"


def _not_compiled(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        return str(error)
    return None


def _parts(place: _Place) -> Iterator[_Place]:
    """Return the schemas that stand in one."""
    schema = place.schema
    inner: dict[tuple[str | int, ...], Any] = {(n,): schema[n] for n in _ONE if n in schema}
    for name in _SOME:
        inner |= {(name, n): each for n, each in enumerate(schema.get(name, ()))}
    for name in _NAMED:
        inner |= {(name, key): each for key, each in schema.get(name, {}).items()}
    for path, each in inner.items():
        resolver = place.resolver.in_subresource(DRAFT202012.create_resource(each))
        yield _Place(each, (*place.path, *path), resolver)


def _target(place: _Place, name: str) -> _Place | None:
    """Return what a reference leads to, if that is a schema."""
    try:
        found = place.resolver.lookup(place.schema[name])
    except (Unresolvable, ValueError, TypeError, KeyError):
        return None
    if not isinstance(found.contents, Mapping | bool):
        return None
    return _Place(found.contents, (*place.path, name), found.resolver)


def _is_endless(schema: Any) -> bool:
    try:
        for sample in _SAMPLES:
            findings(schema, sample, "")
    except RecursionError:
        return True
    return False
