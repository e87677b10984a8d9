"""Requests of PDF tools: they make renders like any other, and refuse what does not fit."""

import io
from typing import Any

import pikepdf
import pytest

from chalicelib.engine.pdf_tools import TOOLS
from tests.builders.lambda_client import FunctionKilled
from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.pdfs.requests import TOOL_FILES, TOOL_OPTIONS, tool_request
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation


@pytest.fixture
def judged(service: Service) -> Service:
    fake_validation(service)
    return service


def run(service: Service, tool: str, **more: Any) -> Any:
    body = tool_request(tool, **more)
    return service.call("POST", f"/v1/pdf-tools/{tool}", json_body=body)


def content_of(service: Service, render: Any, number: int = 0) -> bytes:
    key = next(
        key for key in service.objects() if f"/{render['id']}/" in key and f"-{number}." in key
    )
    stored: bytes = service.clients.s3.get_object(Bucket=service.settings.bucket, Key=key)[
        "Body"
    ].read()
    return stored


def test_every_tool_is_tried_here() -> None:
    assert list(TOOL_OPTIONS) == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_makes_its_files_and_is_billed(judged: Service, tool: str) -> None:
    answer = run(judged, tool)

    render = answer.json
    assert answer.status == 200, render
    assert tuple(file["format"] for file in render["files"]) == TOOL_FILES[tool]
    assert (render["status"], render["billed"]) == ("succeeded", True)
    assert (render["input"]["type"], render["input"]["tool"]) == ("pdf", tool)
    assert judged.limits()["used"] == 1


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_runs_from_the_queue(judged: Service, tool: str) -> None:
    accepted = run(judged, tool, mode="async", priority="low", reference="r-1")
    judged.run_queued("RendersLow")

    render = judged.call("GET", f"/v1/renders/{accepted.json['id']}").json
    assert accepted.status == 202
    assert render["status"] == "succeeded", render["error"]
    assert tuple(file["format"] for file in render["files"]) == TOOL_FILES[tool]
    assert render["reference"] == "r-1"


def test_tool_takes_the_warnings_that_fail_it(service: Service) -> None:
    assert run(service, "rotate", fail_on=["feature_unavailable"]).status == 200
    refused = run(service, "rotate", fail_on=["no_such_code"])
    assert (refused.code, refused.pointers) == ("validation_error", ["/fail_on/0"])


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_request_can_be_checked_without_a_render(service: Service, tool: str) -> None:
    good = service.call(
        "POST", f"/v1/pdf-tools/{tool}/preflight", json_body=tool_request(tool)
    ).json
    bad = service.call(
        "POST",
        f"/v1/pdf-tools/{tool}/preflight",
        json_body=tool_request(tool, webhook={"url": "https://127.0.0.1/"}, reference=3),
    ).json

    assert good == {
        "ok": True,
        "errors": [],
        "warnings": [],
        "invoice": None,
        "cost": {"renders": 1, "remaining": 250_000},
    }
    assert [error["path"] for error in bad["errors"]] == ["/reference"]
    assert service.call("GET", "/v1/renders").json["data"] == []


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_refuses_an_unknown_property(service: Service, tool: str) -> None:
    refused = run(service, tool, colour="red")

    assert refused.status == 400
    assert [error["path"] for error in refused.json["errors"]] == ["/colour"]


@pytest.mark.parametrize("tool", [tool for tool in TOOL_OPTIONS if tool != "merge"])
def test_each_tool_needs_one_source(service: Service, tool: str) -> None:
    without = {name: value for name, value in tool_request(tool).items() if name != "source"}
    absent = service.call("POST", f"/v1/pdf-tools/{tool}", json_body=without)
    two = run(service, tool, source=as_source(pdf()) | {"file_id": "file_1"})

    assert [error["path"] for error in absent.json["errors"]] == ["/source"]
    assert [error["path"] for error in two.json["errors"]] == ["/source"]


@pytest.mark.parametrize("count", [0, 1, 501])
def test_merge_takes_two_to_five_hundred_sources(service: Service, count: int) -> None:
    body = {"sources": [{"file_id": "file_1"}] * count}
    refused = service.call("POST", "/v1/pdf-tools/merge", json_body=body)

    assert refused.status == 400
    assert [error["path"] for error in refused.json["errors"]] == ["/sources"]


def test_an_unknown_tool_is_not_found(service: Service) -> None:
    refused = service.call("POST", "/v1/pdf-tools/shred", json_body={"source": as_source(pdf())})

    assert (refused.status, refused.json["code"]) == (404, "not_found")


def test_renders_refuse_the_input_of_tools(service: Service) -> None:
    refused = service.render(input={"type": "pdf", "source": as_source(pdf())})

    assert refused.status == 400
    assert refused.json["errors"][0]["path"] == "/input/type"


def test_a_password_opens_a_source(service: Service) -> None:
    render = run(service, "unlock", source=as_source(pdf(password="right"), password="right")).json

    with pikepdf.open(io.BytesIO(content_of(service, render))) as document:
        assert not document.is_encrypted
    assert "right" not in str(service.rows(render["id"]))


@pytest.mark.parametrize("tool", ["split", "to-images"])
def test_several_files_are_no_binary_answer(service: Service, tool: str) -> None:
    refused = run(service, tool, delivery={"type": "binary"})

    assert (refused.status, refused.json["code"]) == (400, "validation_error")
    assert refused.json["errors"][0]["path"] == "/delivery/type"
    assert service.limits()["used"] == 0


def test_one_file_is_an_answer(service: Service) -> None:
    answer = run(service, "rotate", delivery={"type": "binary"})

    assert answer.status == 200
    with pikepdf.open(io.BytesIO(answer.body)) as document:
        assert [page.get("/Rotate") for page in document.pages] == [90, 90, 90]


def test_page_limits_hold_for_source_and_output(service: Service) -> None:
    small = service.create_workspace(plan="free")
    key = service.key("test", small)
    many = as_source(pdf(21))
    source = service.call(
        "POST", "/v1/pdf-tools/rotate", json_body={"source": many, "degrees": 90}, key=key
    )
    half = as_source(pdf(11))
    output = service.call("POST", "/v1/pdf-tools/merge", json_body={"sources": [half] * 2}, key=key)

    assert [answer.json["code"] for answer in (source, output)] == ["page_limit_exceeded"] * 2


def test_conversion_to_pdfa_needs_its_plan(service: Service) -> None:
    starter = service.create_workspace(plan="starter")
    refused = service.call(
        "POST",
        "/v1/pdf-tools/pdfa",
        json_body=tool_request("pdfa"),
        key=service.key("live", starter),
    )

    assert (refused.status, refused.json["code"]) == (402, "plan_feature_unavailable")


def test_a_test_key_marks_what_it_makes(service: Service) -> None:
    body = tool_request("rotate")
    marked = service.call("POST", "/v1/pdf-tools/rotate", json_body=body, key=service.test).json
    plain = service.call("POST", "/v1/pdf-tools/rotate", json_body=body).json

    assert marked["test"]
    assert len(content_of(service, marked)) > len(content_of(service, plain))


def test_a_repeated_key_makes_one_render(service: Service) -> None:
    first, second = (
        service.call(
            "POST",
            "/v1/pdf-tools/rotate",
            json_body=tool_request("rotate"),
            headers={"Idempotency-Key": "k"},
        )
        for _ in range(2)
    )

    assert second.headers["Idempotent-Replayed"] == "true"
    assert first.json["id"] == second.json["id"]
    assert len(service.tool_calls) == 1


def test_secrets_and_contents_are_not_shown(service: Service) -> None:
    shown = run(
        service,
        "protect",
        source=as_source(pdf(password="open"), password="open"),
        user_password="user-secret",
        owner_password="owner-secret",
    ).json
    filled = run(service, "fill-form").json

    assert shown["input"]["source"] == {
        "upload_id": None,
        "url": None,
        "file_id": None,
        "render_id": None,
    }
    assert "secret" not in str(shown["input"])
    assert filled["input"]["fields"] == ["name"]


def test_zero_retention_keeps_nothing_of_the_document(service: Service) -> None:
    answer = run(service, "rotate", delivery={"type": "binary", "retention": "none"})

    assert answer.status == 200
    assert [key for key in service.objects() if "/files/" in key or "/bodies/" in key] == []
    render = service.call("GET", "/v1/renders").json["data"][0]
    assert render["input"] == {"type": "pdf", "tool": "rotate"}


def test_a_tool_that_dies_is_run_again(service: Service) -> None:
    service.tool_failures = iter([FunctionKilled()])
    answer = run(service, "rotate")

    assert answer.status == 200
    assert len(service.tool_calls) == 2
    assert service.limits()["used"] == 1
