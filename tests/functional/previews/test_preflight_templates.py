"""Preflight of templates: syntax, schema, and the default dataset."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderWarning
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.uploads import announce_upload, post_upload

SCHEMA = {"required": ["n"]}
SYNTAX = RenderFailure(
    "template_syntax_error", "html: No end.", line=2, column=5, excerpt="{% if %}"
)
RUNTIME = RenderFailure(
    "template_runtime_error", "output.filename: No n.", line=1, column=1, excerpt="n"
)


def preflight(service: Service, path: str, **fields: Any) -> ApiAnswer:
    wanted = {"type": "template", "template_id": path.rpartition("/")[2]}
    body = {"input": wanted} | fields
    return service.call("POST", "/v1/renders/preflight", json_body=body, key=service.test)


def error_codes(answer: ApiAnswer) -> list[tuple[str, str]]:
    assert answer.status == 200, answer.body
    assert answer.json["ok"] == (not answer.json["errors"])
    return [(error["path"], error["code"]) for error in answer.json["errors"]]


def test_preflight_compiles_all_texts_and_renders_no_page(service: Service) -> None:
    path = make_template(service, head="<b>", publish=True, options={"filename": "{{ n }}.pdf"})
    service.engine.lint_failures = [SYNTAX, RUNTIME]

    answer = preflight(service, path, data={"n": 1})

    assert error_codes(answer) == [
        ("/input/template_id", "template_syntax_error"),
        ("/output/filename", "template_runtime_error"),
    ]
    assert answer.json["errors"][0]["message"] == "html: line 2, column 5: No end. ({% if %})"
    (job,) = service.engine.lint_jobs
    assert (job.data, job.output.filename) == ({"n": 1}, "{{ n }}.pdf")
    assert service.engine.jobs == []
    assert service.call("GET", "/v1/renders").json["data"] == []


def test_preflight_checks_the_draft(service: Service) -> None:
    path = make_template(service)

    assert error_codes(preflight(service, path, version="draft")) == []
    assert error_codes(preflight(service, path)) == [("/version", "version_not_found")]


def test_data_are_checked_against_the_schema(service: Service) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)

    assert error_codes(preflight(service, path, data={})) == [("/data", "required")]
    assert error_codes(preflight(service, path, data={"n": 1})) == []


def test_default_dataset_replaces_missing_data(service: Service) -> None:
    path = make_template(service, datasets=[{"name": "A", "data": {"n": 7}}], publish=True)

    assert error_codes(preflight(service, path)) == []
    assert service.engine.lint_jobs[-1].data == {"n": 7}
    assert error_codes(preflight(service, path, data={"n": 8})) == []
    assert service.engine.lint_jobs[-1].data == {"n": 8}


def test_warnings_are_those_of_known_data(service: Service) -> None:
    path = make_template(service, publish=True)
    service.engine.lint_warnings = [RenderWarning("undefined_value", "x", "html, line 1")]
    url = "https://example.com/data.json"

    assert preflight(service, path, data={"n": 1}).json["warnings"] == [
        {"code": "undefined_value", "message": "x", "detail": "html, line 1"}
    ]
    assert preflight(service, path, data_url=url).json["warnings"] == []
    # A render without data has none, and so has its preflight.
    assert [each["code"] for each in preflight(service, path).json["warnings"]] == [
        "undefined_value"
    ]


def test_without_the_data_only_syntax_errors_are_reported(service: Service) -> None:
    path = make_template(service, schema=SCHEMA, publish=True)
    service.engine.lint_failures = [RUNTIME, SYNTAX]

    answer = preflight(service, path, data_url="https://example.com/data.json")

    assert error_codes(answer) == [("/input/template_id", "template_syntax_error")]
    assert service.engine.lint_jobs[-1].data_url is None


def test_busy_or_killed_function_is_invoked_again(service: Service) -> None:
    path = make_template(service, publish=True)
    busy = LambdaClient.exceptions.TooManyRequestsException()
    service.invoke_failures = iter([busy, FunctionKilled(), busy])

    answer = preflight(service, path)

    assert (answer.status, answer.json["ok"]) == (200, True), answer.body


def test_without_capacity_preflight_answers_region_degraded(service: Service) -> None:
    path = make_template(service, publish=True)
    begun = service.clock.now()

    def busy() -> Iterator[BaseException]:
        while True:
            service.clock.advance(seconds=3)
            yield LambdaClient.exceptions.TooManyRequestsException()

    service.invoke_failures = busy()
    answer = preflight(service, path)

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert answer.headers["Retry-After"]
    assert (service.clock.now() - begun).total_seconds() <= 18, "a caller waits no longer"


@pytest.mark.parametrize("input_", [{"html": "<p>", "templating": False}, {"html": "<p>"}])
def test_plain_text_is_no_template(service: Service, input_: dict[str, Any]) -> None:
    body = {"input": {"type": "html"} | input_}

    assert error_codes(service.call("POST", "/v1/renders/preflight", json_body=body)) == []
    assert not service.engine.lint_jobs[0].source.has_templates


def preflight_html(service: Service, **wanted: Any) -> ApiAnswer:
    body = {"input": {"type": "html", "templating": True} | wanted}
    return service.call("POST", "/v1/renders/preflight", json_body=body)


def test_errors_in_request_and_upload_texts_point_at_their_field(service: Service) -> None:
    service.engine.lint_failures = [SYNTAX]
    uploaded = post_upload(service, b"<p>{% if %}").json["id"]

    assert error_codes(preflight_html(service, html="<p>")) == [("/input/html", SYNTAX.code)]
    assert error_codes(preflight_html(service, upload_id=uploaded)) == [
        ("/input/upload_id", SYNTAX.code)
    ]
    assert service.engine.html_texts[-1] == "<p>{% if %}"


def test_missing_upload_is_reported_once(service: Service) -> None:
    pending = announce_upload(service).json["id"]
    gone = post_upload(service, b"<p>").json["id"]
    service.call("DELETE", f"/v1/uploads/{gone}")

    assert error_codes(preflight_html(service, upload_id=pending)) == [("", "conflict")]
    assert error_codes(preflight_html(service, upload_id=gone)) == [
        ("/input/upload_id", "not_found")
    ]
    assert service.engine.lint_jobs == []


def test_preflight_too_large_for_an_invocation_goes_through_the_bucket(service: Service) -> None:
    # Each is within the bounds of a request; together they exceed 6 MB.
    path = make_template(service, html="x" * 3_300_000, publish=True)
    before = service.objects()
    data = {"text": "y" * 3_300_000}

    assert error_codes(preflight(service, path, data=data)) == []
    assert service.engine.lint_jobs[-1].data == data
    assert service.objects() == before
    secret = preflight(service, path, data=data, delivery={"type": "binary", "retention": "none"})
    assert error_codes(secret) == [("", "payload_too_large")]
    assert service.objects() == before


def test_html_of_a_key_with_an_allowlist_is_checked_with_its_includes(service: Service) -> None:
    template_id = make_template(service, html="inner", publish=True).rpartition("/")[2]
    key = service.key("live", templates=[template_id])
    html = f"{{% include '{template_id}' %}}"
    body = {"input": {"type": "html", "html": html, "templating": True}}

    answer = service.call("POST", "/v1/renders/preflight", json_body=body, key=key)

    assert error_codes(answer) == []
    assert service.engine.lint_jobs[-1].includes.sources == {template_id: "inner"}
