"""OpenAPI document generated from endpoint rows."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from chalicelib.api.edge.endpoint import endpoints_of
from chalicelib.api.edge.openapi.document import openapi_document
from chalicelib.core.version import VERSION
from tests.builders.openapi import api_document
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


def test_equal_problem_responses_are_one_component(made: dict[str, Any]) -> None:
    chairs = made["paths"]["/v1/chairs"]
    responses = made["components"]["responses"]

    assert chairs["get"]["responses"]["401"] == {"$ref": "#/components/responses/Unauthorized"}
    assert chairs["post"]["responses"]["401"] == chairs["get"]["responses"]["401"]
    assert "- `rate_limited`: " in responses["RateLimited"]["description"]
    assert "Retry-After" in responses["RateLimited"]["headers"]
    assert len({str(response) for response in responses.values()}) == len(responses)


def test_answers_say_the_headers_that_are_sent(made: dict[str, Any]) -> None:
    created = made["paths"]["/v1/chairs"]["post"]["responses"]["201"]

    assert {"Location", "Idempotent-Replayed", "RateLimit"} <= created["headers"].keys()


def test_a_render_is_answered_as_file_or_json() -> None:
    answers = api_document()["paths"]["/v1/renders"]["post"]["responses"]
    content = answers["200"]["content"]

    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/Render"}
    files = content.keys() - {"application/json"}
    assert {"application/pdf", "application/xml", "application/zip"} <= files
    assert all(content[kind]["schema"]["format"] == "binary" for kind in files)
    assert {"X-Pages", "X-Billed-Renders", "X-Render-Id"} <= answers["200"]["headers"].keys()
    assert "Location" in answers["202"]["headers"]
    assert "Location" in answers["303"]["headers"]


@pytest.mark.parametrize(
    ("path", "kinds", "words"),
    [
        (
            "/v1/pdf/from-html",
            ["application/pdf", "application/json"],
            "The file for delivery `binary`, or else the render.",
        ),
        (
            "/v1/pdf-tools/merge",
            ["application/json", "application/pdf"],
            "The render, or for delivery `binary` its file.",
        ),
    ],
)
def test_clients_that_take_one_media_type_reach_files_and_renders(
    path: str, kinds: list[str], words: str
) -> None:
    answer = api_document()["paths"][path]["post"]["responses"]["200"]

    assert list(answer["content"]) == kinds
    # Of responses that are equal but for the order, openapi-generator takes the first order.
    assert answer["description"] == words


def test_an_upload_has_a_schema_for_each_way() -> None:
    operation = api_document()["paths"]["/v1/uploads"]["post"]
    body = operation["requestBody"]["content"]
    names = [
        branch["$ref"].rpartition("/")[2]
        for branch in operation["responses"]["201"]["content"]["application/json"]["schema"][
            "oneOf"
        ]
    ]

    assert body["application/json"]["schema"]["$ref"].endswith("/UploadRequest")
    assert body["multipart/form-data"]["schema"]["$ref"].endswith("/UploadFile")
    form = api_document()["components"]["schemas"]["UploadFile"]
    assert form["properties"]["file"]["format"] == "binary"
    # The narrower one first, for clients that take the first that fits.
    assert names == ["AnnouncedUpload", "Upload"]


def test_routes_between_machines_are_left_out() -> None:
    paths = api_document()["paths"]

    assert "/healthz" not in paths
    assert not any(path.startswith("/v1/provider-events") for path in paths)


def test_ids_and_times_say_their_form() -> None:
    render = api_document()["components"]["schemas"]["Render"]["properties"]
    path = api_document()["paths"]["/v1/renders/{id}"]["get"]["parameters"][0]

    assert render["id"]["pattern"] == path["schema"]["pattern"]
    assert re.fullmatch(render["id"]["pattern"], "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2")
    assert render["created_at"]["format"] == "date-time"


def test_the_document_says_whose_it_is() -> None:
    info = api_document()["info"]

    assert info["license"] == {"name": "Apache-2.0", "identifier": "Apache-2.0"}
    assert info["contact"] == {"name": "Platen", "url": "https://api.test/docs"}
    assert info["version"] == VERSION
    assert all(tag["description"] != tag["name"] for tag in api_document()["tags"])
