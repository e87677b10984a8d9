"""Preflight of templates: their language, their schema, and the dataset that stands for data."""

from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from tests.builders.http import Answer
from tests.builders.service import LambdaClient, Service
from tests.builders.templates import make

SCHEMA = {"required": ["n"]}
SYNTAX = RenderFailure("template_syntax_error", "No end.", line=2, column=5, excerpt="{% if %}")
RUNTIME = RenderFailure("template_runtime_error", "n is undefined.", line=1, column=1, excerpt="n")


def preflight(service: Service, path: str, **fields: Any) -> Answer:
    wanted = {"type": "template", "template_id": path.rpartition("/")[2]}
    body = {"input": wanted} | fields
    return service.call("POST", "/v1/renders/preflight", json_body=body, key=service.test)


def told(answer: Answer) -> list[tuple[str, str]]:
    assert answer.status == 200, answer.body
    assert answer.json["ok"] == (not answer.json["errors"])
    return [(error["path"], error["code"]) for error in answer.json["errors"]]


def test_all_texts_are_tried_and_no_page_is_made(service: Service) -> None:
    path = make(service, head="<b>", publish=True, options={"filename": "{{ n }}.pdf"})
    service.engine.faults = [SYNTAX, RUNTIME]

    answer = preflight(service, path, data={"n": 1})

    assert told(answer) == [
        ("/input", "template_syntax_error"),
        ("/input", "template_runtime_error"),
    ]
    assert answer.json["errors"][0]["message"] == "line 2, column 5: No end. ({% if %})"
    (job,) = service.engine.linted
    assert (job.data, job.output.filename) == ({"n": 1}, "{{ n }}.pdf")
    assert service.engine.jobs == []
    assert service.call("GET", "/v1/renders").json["data"] == []


def test_draft_is_tried_as_it_stands(service: Service) -> None:
    path = make(service)

    assert told(preflight(service, path, version="draft")) == []
    assert told(preflight(service, path)) == [("", "version_not_found")]


def test_data_are_checked_against_the_schema(service: Service) -> None:
    path = make(service, schema=SCHEMA, publish=True)

    assert told(preflight(service, path, data={})) == [("/data", "required")]
    assert told(preflight(service, path, data={"n": 1})) == []


def test_default_dataset_stands_for_data(service: Service) -> None:
    path = make(service, datasets=[{"name": "A", "data": {"n": 7}}], publish=True)

    assert told(preflight(service, path)) == []
    assert service.engine.linted[-1].data == {"n": 7}
    assert told(preflight(service, path, data={"n": 8})) == []
    assert service.engine.linted[-1].data == {"n": 8}


def test_of_data_elsewhere_only_the_form_of_texts_is_known(service: Service) -> None:
    path = make(service, schema=SCHEMA, publish=True)
    service.engine.faults = [RUNTIME, SYNTAX]

    answer = preflight(service, path, data_url="https://example.com/data.json")

    assert told(answer) == [("/input", "template_syntax_error")]
    assert service.engine.linted[-1].data_url is None


def test_without_room_nothing_is_said(service: Service) -> None:
    path = make(service, publish=True)
    service.invocations = iter([LambdaClient.exceptions.TooManyRequestsException()])

    answer = preflight(service, path)

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert answer.headers["Retry-After"]


@pytest.mark.parametrize("input_", [{"html": "<p>", "templating": False}, {"html": "<p>"}])
def test_what_is_no_template_is_not_tried(service: Service, input_: dict[str, Any]) -> None:
    body = {"input": {"type": "html"} | input_}

    assert told(service.call("POST", "/v1/renders/preflight", json_body=body)) == []
    assert service.engine.linted == []
