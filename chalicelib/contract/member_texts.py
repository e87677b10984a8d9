"""Descriptions of members in JSON Schemas: the texts below them in the source."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

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
    schema: "JsonSchemaValue", fields: "Mapping[str, FieldInfo]", texts: Mapping[str, str]
) -> None:
    """Add its text to each member of an object's schema."""
    members = schema.get("properties", {})
    for name, field in fields.items():
        member = members.get(field.alias or name)
        if member is None:
            continue
        text = texts.get(name) or _common_text(name, member)
        if text:
            member["description"] = text


def without_defaults(schema: "JsonSchemaValue") -> None:
    """Take the defaults out of an object's schema."""
    for member in schema.get("properties", {}).values():
        member.pop("default", None)


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
