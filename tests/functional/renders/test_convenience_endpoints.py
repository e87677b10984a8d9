"""`/v1/pdf/…` and `/v1/images/…` do what `/v1/renders` does with the same request."""

from typing import Any

import pytest

from chalicelib.engine.sources import HtmlSource, UrlSource
from tests.builders.http import ApiAnswer
from tests.builders.service import Service

SOURCES: dict[str, dict[str, Any]] = {
    "html": {"html": "<p>{{ n }}</p>", "head": "<style></style>"},
    "url": {"url": "https://example.com/page"},
}


def post(service: Service, path: str, **more: Any) -> ApiAnswer:
    return service.call("POST", f"/v1/{path}", **more)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    ("area", "fields", "output"),
    [
        ("pdf", {"pdf": {"page_size": "A5"}}, {"pdf": {"page_size": "A5"}}),
        ("images", {"image": {"width": 10, "height": 20}}, {"image": {"width": 10, "height": 20}}),
    ],
)
def test_convenience_endpoint_equals_a_render_request(
    service: Service, kind: str, area: str, fields: dict[str, Any], output: dict[str, Any]
) -> None:
    more: dict[str, Any] = {
        "data": {"n": 1},
        "reference": "R",
        "metadata": {"a": 1},
        "mode": "async",
    }
    output |= {"format": "png"} if area == "images" else {}

    short = post(service, f"{area}/from-{kind}", json_body=SOURCES[kind] | fields | more)
    long = service.render(input={"type": kind, **SOURCES[kind]}, output=output, **more)

    assert (short.status, long.status) == (202, 202)
    differing = {"id", "created_at"}
    assert {k: v for k, v in short.json.items() if k not in differing} == {
        k: v for k, v in long.json.items() if k not in differing
    }
    service.run_queued()
    first, second = service.engine.jobs
    assert (first.source, first.output, first.data) == (second.source, second.output, second.data)
    expected = UrlSource if kind == "url" else HtmlSource
    assert isinstance(first.source, expected)


@pytest.mark.parametrize("area", ["pdf", "images"])
def test_template_endpoint_has_its_version_at_the_top_level(service: Service, area: str) -> None:
    body = {"template_id": "tpl_x", "version": "draft"}

    assert post(service, f"{area}/from-template", json_body=body).code == "test_key_required"
    of_test = post(service, f"{area}/from-template", json_body=body, key=service.test)
    assert of_test.code == "template_not_found"


def test_delivery_and_format_are_passed_through(service: Service) -> None:
    body = {"html": "<p>x</p>", "delivery": "binary"}

    assert post(service, "pdf/from-html", json_body=body).body == service.engine.content
    picture = post(service, "images/from-html", json_body=body | {"format": "png"})
    assert picture.headers["Content-Type"] == "image/png"


def test_idempotency_key_is_bound_to_the_route(service: Service) -> None:
    headers = {"Idempotency-Key": "k"}
    body = {"html": "<p>x</p>"}

    first = post(service, "pdf/from-html", json_body=body, headers=headers)
    again = post(service, "pdf/from-html", json_body=body, headers=headers)
    other = post(service, "images/from-html", json_body=body, headers=headers)

    assert again.json["id"] == first.json["id"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (other.status, other.json["output"]["format"]) == (200, "png")
    assert other.json["id"] != first.json["id"]


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("pdf/from-html", {}, ""),
        ("pdf/from-html", {"html": "x", "output": {}}, "/output"),
        ("pdf/from-html", {"html": "x", "type": "html"}, "/type"),
        ("pdf/from-html", {"html": "x", "format": "pdf"}, "/format"),
        ("pdf/from-html", {"html": "x", "pdf": {"width": "3in"}}, "/pdf"),
        ("pdf/from-url", {"html": "x"}, "/url"),
        ("pdf/from-template", {"template_id": ""}, "/template_id"),
        ("images/from-html", {"html": "x", "format": "pdf"}, "/format"),
        ("images/from-html", {"html": "x", "pdf": {}}, "/pdf"),
        ("images/from-url", {"url": "https://example.com", "image": {"width": 0}}, "/image/width"),
    ],
)
def test_errors_point_at_the_field_of_the_request(
    service: Service, path: str, body: dict[str, Any], pointer: str
) -> None:
    answer = post(service, path, json_body=body)

    assert answer.code == "validation_error"
    assert pointer in [error["path"] for error in answer.json["errors"]]
