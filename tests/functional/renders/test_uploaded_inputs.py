"""Renders that use uploads."""

from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob
from chalicelib.engine.sources import HtmlSource
from tests.builders.service import Service
from tests.builders.uploads import announce_upload, post_upload, store_announced


def all_uploads(html: str, attachment: str, image: str) -> dict[str, Any]:
    attached = {"upload_id": attachment, "filename": "a.xml", "content_type": "text/xml"}
    pdf = {"attachments": [attached], "watermark": {"image": {"upload_id": image}}}
    return {"input": {"type": "html", "upload_id": html}, "output": {"pdf": pdf}}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_render_reads_uploads(service: Service, mode: str) -> None:
    contents = (b"\xef\xbb\xbf<p>\xc3\x9c", b"<a/>", b"a picture")
    ids = [post_upload(service, content).json["id"] for content in contents]
    read: list[bytes] = []
    engine = service.engine
    engine.before_run = lambda _job: read.extend(map(engine.contexts[-1].uploads, ids[1:]))

    answer = service.render(mode=mode, **all_uploads(*ids))
    service.run_queued()

    assert answer.status in {200, 202}, answer.body
    assert answer.json["input"]["upload_id"] == ids[0]
    (job,) = service.engine.jobs
    assert job.source == HtmlSource(upload_id=ids[0])
    assert read == list(contents[1:])
    assert service.engine.html_texts == ["<p>Ü"]


def test_missing_upload_is_refused_with_its_pointer(service: Service) -> None:
    there = post_upload(service, b"x").json["id"]
    body = all_uploads(there, there, "upl_nothing")

    answer = service.render(**body)

    assert answer.code == "upload_not_found"
    assert answer.status == 404
    assert answer.pointers == ["/output/pdf/watermark/image/upload_id"]
    assert service.engine.jobs == []
    assert service.limits()["holds"] == {}


def test_convenience_endpoints_use_pointers_of_their_request(service: Service) -> None:
    there = post_upload(service, b"x").json["id"]
    attached = {"attachments": [{"upload_id": "upl_nothing", "filename": "a"}]}
    for body, pointer in (
        ({"upload_id": "upl_nothing"}, "/upload_id"),
        ({"upload_id": there, "pdf": attached}, "/pdf/attachments/0/upload_id"),
    ):
        answer = service.call("POST", "/v1/pdf/from-html", json_body=body)

        assert (answer.code, answer.pointers) == ("upload_not_found", [pointer])
        assert answer.json["detail"].startswith(f"{pointer}: ")


def test_pending_upload_cannot_be_rendered(service: Service) -> None:
    upload_id = announce_upload(service).json["id"]
    body: dict[str, Any] = {"input": {"type": "html", "upload_id": upload_id}}

    assert service.render(**body).code == "conflict"
    store_announced(service, upload_id, b"<p>Hi")

    assert service.render(**body).status == 200


def upload_of_stated_size(service: Service, size: int) -> str:
    """Return a small upload whose item states this size."""
    upload_id = post_upload(service, b"<p>").json["id"]
    key = {"PK": {"S": f"UPL#{service.workspace}#{upload_id}"}, "SK": {"S": "META"}}
    service.clients.dynamodb.update_item(
        TableName=service.settings.transient_table,
        Key=key,
        UpdateExpression="SET #bytes = :bytes",
        ExpressionAttributeNames={"#bytes": "bytes"},
        ExpressionAttributeValues={":bytes": {"N": str(size)}},
    )
    return str(upload_id)


@pytest.mark.parametrize(("size", "status"), [(20_000_000, 200), (20_000_001, 400)])
def test_uploaded_html_has_a_size_limit(service: Service, size: int, status: int) -> None:
    answer = service.render(
        input={"type": "html", "upload_id": upload_of_stated_size(service, size)}
    )

    assert answer.status == status
    if status != 200:
        assert answer.pointers == ["/input/upload_id"]


@pytest.mark.parametrize(("sizes", "status"), [((50, 50), 200), ((50, 51), 400)])
def test_attachments_have_a_total_size_limit(
    service: Service, sizes: tuple[int, int], status: int
) -> None:
    attached = [
        {"upload_id": upload_of_stated_size(service, size * 1_000_000), "filename": f"{n}"}
        for n, size in enumerate(sizes)
    ]

    answer = service.render(output={"pdf": {"attachments": attached}})

    assert answer.status == status, answer.body
    if status != 200:
        assert answer.pointers == ["/output/pdf/attachments/1/upload_id"]


def test_upload_deleted_before_the_render_starts_fails_it(service: Service) -> None:
    upload_id = post_upload(service, b"<p>Hi").json["id"]
    render = service.render(mode="async", input={"type": "html", "upload_id": upload_id}).json
    service.call("DELETE", f"/v1/uploads/{upload_id}")

    service.run_queued()

    read = service.call("GET", f"/v1/renders/{render['id']}").json
    assert (read["status"], read["error"]["code"]) == ("failed", "upload_not_found")


def test_uploaded_html_must_be_utf_8(service: Service) -> None:
    upload_id = post_upload(service, b"<p>\xff").json["id"]

    answer = service.render(input={"type": "html", "upload_id": upload_id})

    assert answer.code == "render_failed"
    assert answer.json["detail"].startswith("/input/upload_id: the upload is not UTF-8")
    assert "UTF-8" in answer.json["detail"]


def test_repeat_is_answered_after_its_upload_is_deleted(service: Service) -> None:
    upload_id = post_upload(service, b"<p>Hi").json["id"]
    source = {"type": "html", "upload_id": upload_id}
    body: dict[str, Any] = {"input": source, "headers": {"Idempotency-Key": "k"}}
    first = service.render(**body)
    service.call("DELETE", f"/v1/uploads/{upload_id}")

    again = service.render(**body)

    assert again.status == 200
    assert again.json["id"] == first.json["id"]


def test_engine_gets_upload_not_found_for_a_deleted_upload(service: Service) -> None:
    upload_id = post_upload(service, b"x").json["id"]
    codes: list[str] = []

    def before(_job: EngineJob) -> None:
        service.call("DELETE", f"/v1/uploads/{upload_id}")
        try:
            service.engine.contexts[-1].uploads(upload_id)
        except RenderFailure as failure:
            codes.append(failure.code)

    service.engine.before_run = before
    attached = {"upload_id": upload_id, "filename": "a", "content_type": "text/plain"}
    service.render(output={"pdf": {"attachments": [attached]}})

    assert codes == ["upload_not_found"]
