"""Sources that a key may not read, and secrets that are kept nowhere."""

from typing import Any

import pytest

from tests.builders.pdfs.content import saved
from tests.builders.pdfs.forms import sample_form
from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.service import Service


def rotate(service: Service, source: dict[str, Any], **more: Any) -> Any:
    body = {"source": source, "degrees": 90}
    return service.call("POST", "/v1/pdf-tools/rotate", json_body=body, **more)


def made_file(service: Service, key: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = rotate(service, as_source(pdf(1)), key=key or service.live).json
    assert made["status"] == "succeeded"
    return made


def refusal(answer: Any) -> tuple[int, str, list[str]]:
    return answer.status, answer.code, answer.pointers


def test_a_file_of_another_workspace_is_as_if_it_were_not_there(service: Service) -> None:
    stranger = service.key("live", service.create_workspace())
    file_id = made_file(service, stranger)["files"][0]["id"]

    foreign = rotate(service, {"file_id": file_id})
    absent = rotate(service, {"file_id": "file_01ARZ3NDEKTSV4RRFFQ69G5FAV"})

    assert refusal(foreign) == refusal(absent) == (404, "not_found", ["/source/file_id"])
    assert foreign.json["detail"] == absent.json["detail"]


def test_a_test_key_reads_files_of_tests_only(service: Service) -> None:
    live, test = (made_file(service, key)["files"][0]["id"] for key in (service.live, service.test))

    assert rotate(service, {"file_id": live}, key=service.test).code == "not_found"
    assert rotate(service, {"file_id": test}, key=service.test).status == 200


def test_a_key_with_an_allowlist_reads_no_file_without_a_template(service: Service) -> None:
    file_id = made_file(service)["files"][0]["id"]
    limited = service.key("live", templates=["tpl_01ARZ3NDEKTSV4RRFFQ69G5FAV"])

    assert rotate(service, {"file_id": file_id}, key=limited).status in {403, 404}


def test_a_file_that_was_deleted_or_expired_is_gone(service: Service) -> None:
    deleted, old = made_file(service), made_file(service, service.test)
    service.call("DELETE", f"/v1/renders/{deleted['id']}/files")

    gone = rotate(service, {"file_id": deleted["files"][0]["id"]})
    service.clock.advance(hours=24)
    expired = rotate(service, {"file_id": old["files"][0]["id"]}, key=service.test)

    assert (gone.code, expired.code) == ("file_expired", "file_expired")
    assert gone.pointers == expired.pointers == ["/source/file_id"]


def test_an_upload_of_another_workspace_is_not_found(service: Service) -> None:
    answer = rotate(service, {"upload_id": "upl_01ARZ3NDEKTSV4RRFFQ69G5FAV"})

    assert answer.code == "upload_not_found"


@pytest.mark.parametrize(
    "url", ["http://example.com/a.pdf", "ftp://example.com/a", "file:///etc/passwd", "x" * 5_000]
)
def test_an_address_that_is_none_is_refused(service: Service, url: str) -> None:
    refused = rotate(service, {"url": url})

    assert refused.code in {"validation_error", "url_not_allowed"}
    assert service.limits()["used"] == 0


@pytest.mark.parametrize("field", ["name", "short", "country", "days", "color", "agree"])
def test_a_value_that_does_not_fit_is_kept_nowhere(service: Service, field: str) -> None:
    value = "very-secret-value"
    body = {"source": as_source(saved(sample_form())), "fields": {field: value, "no": value}}
    unknown = service.call("POST", "/v1/pdf-tools/fill-form", json_body=body)
    del body["fields"]["no"]
    made = service.call("POST", "/v1/pdf-tools/fill-form", json_body=body)

    assert unknown.status == 400
    for render in service.call("GET", "/v1/renders").json["data"]:
        assert value not in str(service.rows(render["id"]))
    assert value not in str((unknown.json, made.json))


def test_a_wrong_password_is_kept_nowhere(service: Service) -> None:
    source = as_source(pdf(password="right"), password="wrong-secret")
    refused = rotate(service, source)

    assert refused.code == "pdf_password_required"
    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert "wrong-secret" not in str((refused.json, service.rows(render["id"])))
