"""Everything in the published description of the API is described, with defaults in words."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from pydantic import BaseModel

from chalicelib.api.routes import ENDPOINTS
from chalicelib.contract.base import Model
from infra import openapi
from tests.unit.contract.test_all_bounds import BODIES, models

DOCUMENT: Final = json.loads(openapi.TARGET.read_text(encoding="utf-8"))
COMPONENTS: Final = DOCUMENT["components"]
SCHEMAS: Final = COMPONENTS["schemas"]
# What says nothing about the thing itself.
FILLERS: Final = {"The id.", "The name.", "The value.", "The object."}
REQUESTS: Final = [
    pytest.param(model, id=model.__name__)
    for model in models(BODIES)
    if issubclass(model, Model) and "properties" in SCHEMAS.get(model.__name__, {})
]


def properties(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the properties of all schemas by their paths; examples are no schemas."""
    if isinstance(node, list):
        for number, each in enumerate(node):
            yield from properties(each, f"{path}/{number}")
    elif isinstance(node, dict):
        for name, each in node.items():
            if name == "properties" and isinstance(each, dict):
                yield from ((f"{path}/{member}", schema) for member, schema in each.items())
            if name not in {"example", "examples", "default"}:
                yield from properties(each, f"{path}/{name}")


def parameters() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the parameters of paths, queries and headers."""
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            for each in operation["parameters"]:
                if "$ref" not in each:
                    yield f"{method} {path} {each['name']}", each
    yield from COMPONENTS["parameters"].items()
    for name, item in DOCUMENT["webhooks"].items():
        yield from ((f"{name} {each['name']}", each) for each in item["post"]["parameters"])


def described() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all that must have a description."""
    yield from properties(DOCUMENT)
    yield from parameters()
    yield from SCHEMAS.items()
    yield from COMPONENTS["headers"].items()
    yield from COMPONENTS["securitySchemes"].items()
    yield from ((tag["name"], tag) for tag in DOCUMENT["tags"])
    for name, item in DOCUMENT["webhooks"].items():
        yield name, item["post"]


def fields_with_default(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield the members whose default is a scalar, as they are sent, and the default in words."""
    for name, field in model.model_fields.items():
        default = field.default
        if isinstance(default, bool | int | float):
            is_whole = isinstance(default, float) and default.is_integer()
            yield field.alias or name, json.dumps(int(default) if is_whole else default)
        elif isinstance(default, str) and default:
            yield field.alias or name, default


def test_everything_is_described() -> None:
    # A default alone tells nothing about the member.
    texts = [(name, each.get("description", "").strip()) for name, each in described()]

    assert [name for name, text in texts if not text or text.startswith("Default:")] == []


def test_descriptions_are_sentences() -> None:
    texts = {
        name: each.get("description", "") for name, each in (*properties(DOCUMENT), *parameters())
    }

    assert [name for name, text in texts.items() if not text.rstrip().endswith((".", "`"))] == []
    assert [name for name, text in texts.items() if text in FILLERS] == []


def test_properties_and_parameters_are_seen() -> None:
    assert len(list(properties(DOCUMENT))) > 1500
    assert len(list(parameters())) > 100
    assert dict(properties({"a": {"properties": {"b": {"properties": {"c": {}}}}}})) == {
        "/a/b": {"properties": {"c": {}}},
        "/a/properties/b/c": {},
    }


@pytest.mark.parametrize("model", REQUESTS)
def test_defaults_are_said_in_words(model: type[Model]) -> None:
    members = SCHEMAS[model.__name__]["properties"]
    said = {
        name: f"Default: `{words}`." in members[name]["description"]
        for name, words in fields_with_default(model)
    }

    # A change has no defaults: what it leaves out stays as it is.
    assert set(said.values()) <= {model.defaults_are_read}, said


def test_defaults_of_parameters_are_stated() -> None:
    stated = {
        (name, operation["operationId"])
        for operations in DOCUMENT["paths"].values()
        for operation in operations.values()
        for each in operation["parameters"]
        if "default" in each.get("schema", {})
        for name in [each["name"]]
    }
    expected = {
        (name, row.operation_id)
        for row in ENDPOINTS
        if row.query_model is not None and row.is_published
        for name, _ in fields_with_default(row.query_model)
    }

    assert expected
    assert stated == expected


def test_requests_are_seen() -> None:
    assert len(REQUESTS) > 80
