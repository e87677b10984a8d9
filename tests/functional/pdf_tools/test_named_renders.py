"""Sources that name a render or have a data URI."""

from base64 import b64encode
from typing import Any

import pytest

from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.service import Service

ABSENT = "rnd_01ARZ3NDEKTSV4RRFFQ69G5FAV"


def run(service: Service, tool: str, source: dict[str, Any], key: str = "", **more: Any) -> Any:
    body = {"source": source, **more}
    return service.call("POST", f"/v1/pdf-tools/{tool}", json_body=body, key=key or service.live)


def text(service: Service, source: dict[str, Any], **more: Any) -> Any:
    return run(service, "to-text", source, **more)


def made(service: Service, tool: str = "unlock", key: str = "", **more: Any) -> Any:
    answer = run(service, tool, as_source(pdf(3)), key, **more)
    assert answer.status == 200, answer.json
    return answer.json


def refusal(answer: Any) -> tuple[int, str, list[str]]:
    return answer.status, answer.code, answer.pointers


def test_a_render_with_one_pdf_is_a_source(service: Service) -> None:
    render = made(service)

    read = text(service, {"render_id": render["id"]}, delivery={"type": "binary"})
    shown = text(service, {"render_id": render["id"]}).json["input"]["source"]

    assert read.body.decode().split() == ["page", "1", "page", "2", "page", "3"]
    assert (shown["render_id"], shown["file_id"]) == (render["id"], render["files"][0]["id"])


def test_of_several_pdfs_the_request_names_one(service: Service) -> None:
    render = made(service, "split")
    second = render["files"][1]["id"]

    refused = text(service, {"render_id": render["id"]})
    read = text(
        service, {"render_id": render["id"], "file_id": second}, delivery={"type": "binary"}
    )

    assert refusal(refused) == (400, "validation_error", ["/source/file_id"])
    assert read.body.decode().strip() == "page 2"


def test_the_pdf_among_files_of_other_formats_is_meant(service: Service) -> None:
    render = service.render(output={"formats": ["png", "pdf"]}).json

    checked = service.call(
        "POST",
        "/v1/pdf-tools/compress/preflight",
        json_body={"source": {"render_id": render["id"]}},
    )

    assert checked.json["errors"] == []


def test_a_file_of_another_render_is_not_found_beside_the_render(service: Service) -> None:
    render, other = made(service), made(service)
    source = {"render_id": render["id"], "file_id": other["files"][0]["id"]}

    assert refusal(text(service, source)) == (404, "not_found", ["/source/file_id"])


@pytest.mark.parametrize("render_id", [ABSENT, "rnd_1", "file_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
def test_a_render_that_is_not_there_is_not_found(service: Service, render_id: str) -> None:
    refused = text(service, {"render_id": render_id})

    assert refusal(refused) == (404, "not_found", ["/source/render_id"])


def test_a_render_of_another_workspace_is_as_if_it_were_not_there(service: Service) -> None:
    stranger = service.key("live", service.create_workspace())
    render = made(service, key=stranger)

    foreign, absent = (text(service, {"render_id": each}) for each in (render["id"], ABSENT))

    assert refusal(foreign) == refusal(absent) == (404, "not_found", ["/source/render_id"])
    assert foreign.json["detail"] == absent.json["detail"]


def test_a_test_key_reads_renders_of_tests_only(service: Service) -> None:
    live, test = made(service), made(service, key=service.test)

    assert text(service, {"render_id": live["id"]}, key=service.test).code == "not_found"
    assert text(service, {"render_id": test["id"]}, key=service.test).status == 200


def test_a_render_that_was_deleted_or_expired_is_gone(service: Service) -> None:
    deleted, old = made(service), made(service, key=service.test)
    service.call("DELETE", f"/v1/renders/{deleted['id']}/files")

    gone = text(service, {"render_id": deleted["id"]})
    service.clock.advance(hours=24)
    expired = text(service, {"render_id": old["id"]}, key=service.test)

    assert refusal(gone) == refusal(expired) == (410, "file_expired", ["/source/render_id"])


def test_a_render_without_files_is_refused(service: Service) -> None:
    waiting = run(service, "unlock", as_source(pdf()), mode="async").json
    failed = run(service, "rotate", as_source(pdf()), degrees=90, pages="9").json["render_id"]
    report = made(service, "metadata")

    refusals = [
        refusal(text(service, {"render_id": render_id}))
        for render_id in (waiting["id"], failed, report["id"])
    ]

    assert refusals == [
        (409, "conflict", ["/source/render_id"]),
        (400, "validation_error", ["/source/render_id"]),
        (400, "validation_error", ["/source/render_id"]),
    ]


def test_zero_retention_takes_no_render(service: Service) -> None:
    delivery = {"type": "binary", "retention": "none"}
    refused = text(service, {"render_id": made(service)["id"]}, delivery=delivery)

    assert refusal(refused) == (400, "validation_error", ["/source/render_id"])


@pytest.mark.parametrize(
    "prefix",
    ["data:application/pdf;base64,", "data:application/pdf;filename=a.pdf;base64,"],
)
def test_a_data_uri_is_a_source_and_shown_nowhere(service: Service, prefix: str) -> None:
    uri = prefix + b64encode(pdf(1)).decode()

    render = text(service, {"data_uri": uri}).json

    assert render["status"] == "succeeded"
    assert uri[-40:] not in str(service.rows(render["id"]))
    assert "data_uri" not in str(render["input"])


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "data:",
        "application/pdf;base64,QQ==",
        "data:application/pdf;base64,",
        "data:application/pdf,%25PDF",
        "data:application/pdf;base64;QQ==",
        "data:application/pdf;base64,?!",
        "data:text/plain;base64,QQ==",
        "data:image/png;base64,QQ==",
        "data:;base64,QQ==",
        "https://example.com/a.pdf",
    ],
)
def test_a_malformed_data_uri_is_refused(service: Service, uri: str) -> None:
    refused = text(service, {"data_uri": uri})

    assert refusal(refused) == (400, "validation_error", ["/source/data_uri"])
    assert service.call("GET", "/v1/renders").json["data"] == []


def test_a_long_data_uri_of_blanks_is_refused_at_once(service: Service) -> None:
    uri = "data:application/pdf;base64,A" + " " * 1_000_000 + "!"

    assert refusal(text(service, {"data_uri": uri}))[1] == "validation_error"


@pytest.mark.parametrize("content", ["QUJD", "QQ", "A=A="])
def test_a_data_uri_of_no_pdf_is_refused(service: Service, content: str) -> None:
    refused = text(service, {"data_uri": f"data:application/pdf;base64,{content}"})

    assert refused.code in {"validation_error", "invalid_pdf_source"}
    assert refused.json["detail"].startswith("/source")
    assert service.limits()["used"] == 0


def test_a_data_uri_that_is_too_large_is_refused(service: Service) -> None:
    uri = "data:application/pdf;base64," + "A" * 6_500_000
    small = service.key("live", service.create_workspace(plan="free"))

    refused = text(service, {"data_uri": uri}, key=small)

    assert (refused.status, refused.code) == (413, "payload_too_large")


@pytest.mark.parametrize(
    "source",
    [
        {"render_id": ABSENT, "upload_id": "upl_1"},
        {"render_id": ABSENT, "file_id": "file_1", "content": "QQ=="},
        {"data_uri": "data:application/pdf;base64,QQ==", "content": "QQ=="},
        {"data_uri": "data:application/pdf;base64,QQ==", "file_id": "file_1"},
        {"password": "secret"},
    ],
)
def test_a_source_is_named_in_one_way(service: Service, source: dict[str, str]) -> None:
    assert refusal(text(service, source)) == (400, "validation_error", ["/source"])
