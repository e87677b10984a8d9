"""Schemas of the OpenAPI document: what generators of clients need, and what is enforced."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest
from pydantic import ValidationError

from chalicelib.api.edge.endpoint import import_model
from chalicelib.api.edge.openapi.variants import PROVIDERS, VARIANTS
from chalicelib.api.routes import ENDPOINTS
from chalicelib.contract.pdf_tools.source import PdfSource
from chalicelib.contract.render.pdf import ContentSource, Watermark
from chalicelib.contract.render.request import AssetSpec
from tests.builders.openapi import api_document, validator

BODIES = sorted({row.body for row in ENDPOINTS if row.body and row.is_published})
MODELS: dict[str, Any] = {
    model.__name__: model for model in (AssetSpec, ContentSource, PdfSource, Watermark)
}
UNIONS = {**VARIANTS, **PROVIDERS}


def schemas() -> Any:
    return api_document()["components"]["schemas"]


def parts(node: Any) -> Iterator[Any]:
    """Yield a schema and all schemas in it."""
    yield node
    for part in node.get("properties", {}).values():
        yield from parts(part)
    for part in (*node.get("oneOf", ()), *node.get("anyOf", ())):
        yield from parts(part)
    for name in ("items", "additionalProperties"):
        if isinstance(node.get(name), dict):
            yield from parts(node[name])


def all_parts() -> Iterator[Any]:
    for schema in schemas().values():
        yield from parts(schema)


def test_no_schema_has_a_default_a_title_or_an_open_union() -> None:
    # A generated type requires a member with a default, and some clients send it.
    assert [part for part in all_parts() if {"default", "title", "anyOf"} & part.keys()] == []


def test_unions_say_no_format_and_booleans_no_constant() -> None:
    # Of both openapi-generator makes Java that does not compile.
    branches = [branch for part in all_parts() for branch in part.get("oneOf", ())]

    assert [branch for branch in branches if "format" in branch] == []
    assert [part for part in all_parts() if part.get("const") in {True, False}] == []


def test_defaults_are_said_in_words() -> None:
    members = schemas()["RenderRequest"]["properties"]

    assert members["mode"]["description"].endswith(" Default: `sync`.")
    assert members["version"]["description"].endswith(" Default: `live`.")
    events = schemas()["WebhookSpec"]["properties"]["events"]["description"]
    assert events.endswith(" Default: `render.succeeded`, `render.failed`.")


def test_what_many_members_have_is_a_component() -> None:
    inline = Counter(
        json.dumps(part["enum"])
        for schema in schemas().values()
        for part in parts(schema)
        if "enum" in part and part is not schema
    )

    assert [values for values, count in inline.items() if count > 1] == []


def test_objects_are_given_in_one_of_several_ways() -> None:
    for name in UNIONS:
        for branch in schemas()[name]["oneOf"]:
            variant = schemas()[branch["$ref"].rpartition("/")[2]]
            assert variant["additionalProperties"] is False, name


@pytest.mark.parametrize("name", ["Watermark", "PdfSource", "ContentSource", "AssetSpec"])
def test_the_model_takes_each_variant_and_no_two_together(name: str) -> None:
    samples = {
        "text": "DRAFT",
        "image": {"url": "https://example.com/a.png"},
        "path": "a.css",
        "upload_id": "upl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
        "url": "https://example.com/a.pdf",
        "file_id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
        "content": "JVBERi0xLjc=",
        "render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
        "data_uri": "data:application/pdf;base64,JVBERi0xLjc=",
    }
    model = MODELS[name]
    own = {"path": samples["path"]} if name == "AssetSpec" else {}
    ways = [
        {member: samples[member] for member in variant.needs} for variant in VARIANTS[name].values()
    ]
    schema = validator(schemas()[name])

    for way in ways:
        model.model_validate(way | own)
        schema.validate(way | own)
    for one, other in combinations(ways, 2):
        both = one | other | own
        # The file of a render is named beside it.
        if both.keys() != {"render_id", "file_id"}:
            with pytest.raises(ValidationError):
                model.model_validate(both)
            assert not schema.is_valid(both)
    assert not schema.is_valid(own)


@pytest.mark.parametrize("body", BODIES, ids=lambda name: name.partition(":")[2])
def test_what_is_stated_is_enforced(body: str) -> None:
    model = import_model(body)
    for name, member in members_of(schemas()[body.partition(":")[2]]).items():
        for value in wrong_values(member):
            assert name in refused(model, {name: value}), (name, value)
        for value in good_values(member):
            assert name not in refused(model, {name: value}), (name, value)


def refused(model: Any, body: Any) -> set[str]:
    """Return the members that a model refuses, or lacks."""
    try:
        model.model_validate_json(json.dumps(body))
    except ValidationError as error:
        return {str(each["loc"][0]) for each in error.errors() if each["loc"]}
    return set()


def members_of(schema: Any) -> dict[str, Any]:
    found = dict(schema.get("properties", {}))
    for branch in schema.get("oneOf", ()):
        # Settings of a provider are read with its own model, after the request's.
        if "discriminator" not in schema:
            found |= members_of(schemas()[branch["$ref"].rpartition("/")[2]])
    return {name: resolved(member) for name, member in found.items()}


def resolved(member: Any) -> Any:
    return schemas()[member["$ref"].rpartition("/")[2]] if "$ref" in member else member


# What breaks each constraint of a member.
BREAKS: dict[str, Callable[[Any], Any]] = {
    "enum": lambda _: "no such value",
    "minimum": lambda bound: bound - 1,
    "maximum": lambda bound: bound + 1,
    "minLength": lambda length: "1" * (length - 1),
    "maxLength": lambda length: "1" * (length + 1),
    "minItems": lambda count: ["x"] * (count - 1),
    "maxItems": lambda count: ["x"] * (count + 1),
    "pattern": lambda _: "\x07",
    "format": lambda _: "2026-13-45",
}


def wrong_values(member: Any) -> Iterator[Any]:
    yield from (BREAKS[name](bound) for name, bound in member.items() if name in BREAKS)
    if "integer" in kinds(member):
        yield 1.5


def good_values(member: Any) -> Iterator[Any]:
    yield from member.get("enum", ())
    if {"integer", "number"} & kinds(member):
        yield from (member[bound] for bound in ("minimum", "maximum") if bound in member)
    if "null" in kinds(member):
        yield None


def kinds(member: Any) -> set[str]:
    kind = member.get("type", ())
    return {kind} if isinstance(kind, str) else set(kind)
