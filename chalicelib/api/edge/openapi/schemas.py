"""Published schemas: those of the contract's models, rewritten for generators of clients.

Each step gets one schema whose parts it has rewritten already. What a step needs to know of all
schemas stands in its module: `named.py` and `variants.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from chalicelib.api.edge.openapi import objects as oas
from chalicelib.core import json
from chalicelib.core.json import Json

type Step = Callable[[oas.Schema], oas.Schema]

_NULL: Final[oas.Schema] = {"type": "null"}
_SCALARS: Final = (str, int, float)


def rewritten(schema: oas.Schema, steps: Sequence[Step]) -> oas.Schema:
    """Return a copy of a schema whose parts, and then itself, the steps have rewritten."""
    new = schema.copy()
    if "properties" in new:
        new["properties"] = {
            name: rewritten(part, steps) for name, part in new["properties"].items()
        }
    if "items" in new:
        new["items"] = rewritten(new["items"], steps)
    if "anyOf" in new:
        new["anyOf"] = [rewritten(part, steps) for part in new["anyOf"]]
    if "oneOf" in new:
        new["oneOf"] = [rewritten(part, steps) for part in new["oneOf"]]
    others = new.get("additionalProperties")
    if isinstance(others, dict):
        new["additionalProperties"] = rewritten(others, steps)
    for step in steps:
        new = step(new)
    return new


def without_title(schema: oas.Schema) -> oas.Schema:
    """Return a schema without the title that pydantic makes of a name."""
    schema.pop("title", None)
    return schema


def with_exclusive_branches(schema: oas.Schema) -> oas.Schema:
    """Return a union as `oneOf`, or as a list of types where one branch is null.

    The branches of the contract's unions exclude each other: they differ in type or in a constant.
    """
    if "anyOf" not in schema:
        return schema
    branches = list(_flat(schema.pop("anyOf")))
    if {"type": "number"} in branches:
        branches = [branch for branch in branches if branch != {"type": "integer"}]
    given = [branch for branch in branches if branch != _NULL]
    if _NULL in branches and len(given) == 1 and _may_have_types(given[0]):
        branch = given[0]
        return {**branch, **schema, "type": [str(branch["type"]), "null"]}
    return {**schema, "oneOf": branches}


def with_plain_texts_in_unions(schema: oas.Schema) -> oas.Schema:
    """Return a union without the format of its texts, which its description says.

    Of a date-time beside a number openapi-generator makes Java that does not compile.
    """
    for branch in schema.get("oneOf", ()):
        branch.pop("format", None)
    return schema


def with_default_in_words(schema: oas.Schema) -> oas.Schema:
    """Return a schema that says its default in its description alone.

    Clients must not send a default: what a request leaves out, the template's options say. And a
    generated type would require the member (decision 65).
    """
    if "default" not in schema:
        return schema
    words = _words(schema.pop("default"))
    said = schema.get("description", "")
    if words:
        schema["description"] = f"{said} Default: {', '.join(words)}.".lstrip()
    return schema


def nullable(schema: oas.Schema) -> bool:
    """Tell whether null fits a schema."""
    kinds = schema.get("type", "")
    return "null" in kinds or _NULL in schema.get("oneOf", ())


def without_null(schema: oas.Schema) -> oas.Schema:
    """Return what a schema takes besides null."""
    kinds = schema.get("type", "")
    if not isinstance(kinds, str):
        given = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": given[0] if len(given) == 1 else given}
    if _NULL not in schema.get("oneOf", ()):
        return schema
    branches = [branch for branch in schema["oneOf"] if branch != _NULL]
    rest = schema.copy()
    del rest["oneOf"]
    return {**branches[0], **rest} if len(branches) == 1 else {**rest, "oneOf": branches}


def referenced_schemas(
    roots: Iterable[object], schemas: Mapping[str, oas.Schema]
) -> dict[str, oas.Schema]:
    """Return the schemas that are named below the roots, by their names in order."""
    found: dict[str, oas.Schema] = {}
    waiting = [name for root in roots for name in _references(root)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = schemas[name]
            waiting += _references(schemas[name])
    return {name: found[name] for name in sorted(found)}


def _flat(branches: Iterable[oas.Schema]) -> Iterable[oas.Schema]:
    """Yield the branches of a union, those of a union among them one by one."""
    for branch in branches:
        if branch.keys() == {"oneOf"}:
            yield from branch["oneOf"]
        else:
            yield branch


def _may_have_types(branch: oas.Schema) -> bool:
    """Tell whether null can be a second type: an enumeration would have to name it."""
    return "type" in branch and not {"enum", "const"} & branch.keys()


def _words(default: Json) -> list[str]:
    """Return the values of a default as the reference says them; none of null and of objects."""
    if isinstance(default, list):
        return [word for each in default for word in _words(each)]
    if not isinstance(default, _SCALARS) or default == "":
        return []
    if isinstance(default, float) and default.is_integer():
        default = int(default)
    return [f"`{default if isinstance(default, str) else json.dumps(default)}`"]


def _references(node: object) -> Iterable[str]:
    if isinstance(node, Mapping):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(oas.SCHEMAS):
            yield reference.removeprefix(oas.SCHEMAS)
        for part in node.values():
            yield from _references(part)
    elif isinstance(node, list | tuple):
        for part in node:
            yield from _references(part)
