"""Descriptions of members in JSON Schemas: the texts below them in the source, and defaults."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chalicelib.core import json

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic.json_schema import JsonSchemaValue

# Members that mean the same everywhere; a text below one of them replaces this one.
_COMMON: Final[Mapping[str, str]] = MappingProxyType(
    {
        "created_at": "When it was created.",
        "updated_at": "When it was last changed.",
        "has_more": "Whether a page follows this one.",
        "next_cursor": "The `cursor` of the next page; null on the last page.",
        "cursor": "The `next_cursor` of the page before. Absent: the first page.",
        "limit": "Number of entries of a page.",
    }
)


def describe_members(
    schema: "JsonSchemaValue",
    fields: "Mapping[str, FieldInfo]",
    texts: Mapping[str, str],
    *,
    with_defaults: bool,
) -> None:
    """Add its text to each member of an object's schema, with its default in words."""
    members = schema.get("properties", {})
    for name, field in fields.items():
        member = members.get(field.alias or name)
        if member is None:
            continue
        # Made of the name by pydantic: it tells nothing, and generated clients call types so.
        member.pop("title", None)
        own = texts.get(name) or member.get("description") or _common_text(name, member)
        default = _default_text(field) if with_defaults else ""
        description = " ".join(filter(None, (own, default)))
        if description:
            member["description"] = description


def texts_of(classes: Iterable[type]) -> dict[str, str]:
    """Return the texts below the members of classes, by member; later ones replace earlier ones."""
    return {name: text for each in classes for name, text in _texts(each).items()}


@cache
def _texts(of: type) -> Mapping[str, str]:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    assert isinstance(node, ast.ClassDef)
    texts = {}
    for pair in pairwise(node.body):
        match pair:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                texts[name] = inspect.cleandoc(text)
            case _:
                pass
    return texts


def _common_text(name: str, member: "JsonSchemaValue") -> str:
    if name == "object" and "const" in member:
        return f"The kind of this object: always `{member['const']}`."
    return _COMMON.get(name, "")


def _default_text(field: "FieldInfo") -> str:
    """Return the sentence of a default that is a scalar, or a list of such; nothing for others."""
    default = field.default
    if isinstance(default, list) and default:
        return f"Default: {', '.join(map(_scalar_text, default))}."
    if isinstance(default, bool | int | float) or (isinstance(default, str) and default):
        return f"Default: {_scalar_text(default)}."
    return ""


def _scalar_text(value: object) -> str:
    match value:
        case str():
            return f"`{value}`"
        case float():
            return f"{value:g}"
        case _:
            return json.dumps(value)
