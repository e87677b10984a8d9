"""OpenAPI document generated from endpoint rows."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from chalicelib.api.edge.endpoint import endpoints_of
from chalicelib.api.edge.openapi.document import openapi_document
from tests.fakes import api_resource


@pytest.fixture(scope="module")
def made() -> Any:
    return openapi_document(endpoints_of([api_resource.blueprint]), (), "https://api.test")


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def test_every_reference_resolves(made: dict[str, Any]) -> None:
    for reference in _references(made):
        node = made
        for step in reference.removeprefix("#/").split("/"):
            node = node[step]
        assert node


def test_every_schema_is_json_schema_2020_12(made: dict[str, Any]) -> None:
    for schema in made["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_operation_lists_body_query_parameters_and_problems(made: dict[str, Any]) -> None:
    chairs = made["paths"]["/v1/chairs"]

    body = chairs["post"]["requestBody"]
    assert body["content"]["application/json"]["schema"]["$ref"].endswith("/Chair")
    assert body["required"] is True
    assert set(chairs["post"]["responses"]) == {
        *("201", "400", "401", "403", "409", "413", "415", "422", "429", "500", "503")
    }
    assert {"$ref": "#/components/parameters/Idempotency-Key"} in chairs["post"]["parameters"]
    assert chairs["post"]["x-scope"] == "render:write"
    query = {entry["name"]: entry for entry in chairs["get"]["parameters"] if "name" in entry}
    limit = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    assert query["limit"]["schema"] == limit
    assert query["colour"]["schema"] == {"enum": ["red", "blue"], "type": "string"}
    assert "ChairQuery" not in made["components"]["schemas"]


def test_public_operation_needs_no_key(made: dict[str, Any]) -> None:
    operation = made["paths"]["/v1/bug"]["get"]

    assert operation["security"] == []
    # 400: a parameter of the query that is not known.
    assert set(operation["responses"]) == {"200", "400", "500"}
    assert "RateLimit" not in operation["responses"]["200"]["headers"]


def test_operation_lists_path_parameters_and_binary_content(made: dict[str, Any]) -> None:
    operation = made["paths"]["/v1/pictures/{id}"]["get"]

    assert operation["parameters"][0]["name"] == "id"
    assert set(operation["responses"]["200"]["content"]) == {"image/png"}
