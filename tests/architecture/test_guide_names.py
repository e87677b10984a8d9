"""Guides about switching, testing and faults: the names of the API in them are those of it."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from infra.template import ROOT
from tests.architecture.test_structure import text

DOCUMENT: Final[dict[str, Any]] = json.loads(text("infra/openapi.json"))
SCHEMAS: Final[dict[str, Any]] = DOCUMENT["components"]["schemas"]
MIGRATION: Final = sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "migrate").glob("*.md")
)
# Pages whose words with underscores are all ours.
OWN: Final = [
    name
    for name in (
        "docs/testing.md",
        "docs/going-live.md",
        "docs/troubleshooting.md",
        "docs/faq.md",
        "docs/stability.md",
    )
    if (ROOT / name).exists()
]
# `output.pdf.margin`, also with a value: `output.format: "png"`.
PATH: Final = re.compile(r"`((?:output|input|delivery|webhook)\.[a-z_.]+[a-z])")
WORD: Final = re.compile(r"`\"?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\"?(?::[^`]*)?`")
FENCE: Final = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
# Names of the operator's tool and of files, which the contract does not have.
ELSEWHERE: Final = {"mail_not_configured", "dead_letters"}


def prose(name: str) -> str:
    return FENCE.sub("", text(name))


def alternatives(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema without references, and each of its alternatives."""
    if "$ref" in schema:
        yield from alternatives(SCHEMAS[schema["$ref"].rsplit("/", 1)[-1]])
        return
    yield schema
    for kind in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(kind, ()):
            yield from alternatives(one)


def exists(path: str) -> bool:
    found = [SCHEMAS["RenderRequest"]]
    for member in path.split("."):
        found = [
            shape["properties"][member]
            for schema in found
            for shape in alternatives(schema)
            if member in shape.get("properties", {})
        ]
    return bool(found)


def words(value: object) -> Iterator[str]:
    """Yield the keys and the whole texts of a JSON value."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from words(member)
    elif isinstance(value, list):
        for member in value:
            yield from words(member)
    elif isinstance(value, str):
        yield value
        yield from re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b", value)


@pytest.mark.parametrize("name", [*MIGRATION, *OWN])
def test_each_option_of_a_guide_is_one_of_the_contract(name: str) -> None:
    paths = set(PATH.findall(prose(name)))

    assert {path for path in paths if not exists(path)} == set()


@pytest.mark.parametrize("name", OWN)
def test_each_code_of_a_guide_is_one_of_the_contract(name: str) -> None:
    known = set(words(DOCUMENT)) | ELSEWHERE

    assert set(WORD.findall(prose(name))) - known == set()


def test_wrong_names_are_found() -> None:
    assert exists("output.pdf.margin.top")
    assert exists("delivery.storage")
    assert not exists("output.pdf.margins")
    assert PATH.findall('`output.format: "png"`, `output.pdf.gone`') == [
        "output.format",
        "output.pdf.gone",
    ]
    assert WORD.findall("`asset_failed`, `a_b: true`, `plain`") == ["asset_failed", "a_b"]
