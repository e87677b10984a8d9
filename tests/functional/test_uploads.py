"""`/v1/uploads`, and renders that name what was uploaded."""

import base64
from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Html, Job
from tests.builders.http import Answer
from tests.builders.service import Service

BINARY = bytes(range(256)) + b"\r\n--not the boundary\r\n\n\r\x00"


def form(*parts: tuple[str, bytes], boundary: str = "xXx") -> dict[str, Any]:
    """Return a multipart request of header lines and contents."""
    body = b"".join(
        f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n" for head, content in parts
    )
    return {
        "body": body + f"--{boundary}--\r\n".encode(),
        "headers": {"Content-Type": f"multipart/form-data; boundary={boundary}"},
    }


def file(content: bytes, name: str = "a.bin", kind: str = "text/html") -> tuple[str, bytes]:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}'
    return head, content


def send(service: Service, content: bytes, **more: str) -> Answer:
    return service.call("POST", "/v1/uploads", **form(file(content, **more)))


def announce(service: Service, **fields: Any) -> Answer:
    body = {"filename": "a.html", "content_type": "text/html", "bytes": 5} | fields
    return service.call("POST", "/v1/uploads", json_body=body)


def arrive(service: Service, upload_id: str, content: bytes) -> None:
    """Put what was announced where its form puts it."""
    key = f"tmp/uploads/{service.workspace}/{upload_id}"
    service.clients.s3.put_object(Bucket=service.settings.bucket, Key=key, Body=content)


def test_file_of_a_form_is_kept_byte_by_byte(service: Service) -> None:
    answer = send(service, BINARY, name="Ünterlage.bin", kind="application/x-thing")

    assert answer.status == 201, answer.body
    upload = answer.json
    assert (upload["object"], upload["status"]) == ("upload", "ready")
    assert upload["filename"] == "Ünterlage.bin"
    assert upload["content_type"] == "application/x-thing"
    assert upload["bytes"] == len(BINARY)
    assert "upload" not in upload
    (key,) = service.objects()
    kept = service.clients.s3.get_object(Bucket=service.settings.bucket, Key=key)
    assert kept["Body"].read() == BINARY
    assert answer.headers["Location"] == f"https://api.test/v1/uploads/{upload['id']}"
    assert service.call("GET", f"/v1/uploads/{upload['id']}").json == upload


def test_announced_file_is_pending_until_it_has_arrived(service: Service) -> None:
    answer = announce(service, bytes=7)

    upload = answer.json
    assert answer.status == 201
    assert upload["status"] == "pending"
    assert urlsplit(upload["upload"]["url"]).scheme == "https"
    policy = base64.b64decode(upload["upload"]["fields"]["policy"]).decode()
    assert '["content-length-range", 7, 7]' in policy
    shown = service.call("GET", f"/v1/uploads/{upload['id']}").json
    assert shown == {name: value for name, value in upload.items() if name != "upload"}

    arrive(service, upload["id"], b"<p>Hi!")

    shown = service.call("GET", f"/v1/uploads/{upload['id']}").json
    assert (shown["status"], shown["bytes"]) == ("ready", 6)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"bytes": 200_000_001}, "/bytes"),
        ({"bytes": 0}, "/bytes"),
        ({"filename": ""}, "/filename"),
        ({"filename": "x" * 256}, "/filename"),
        ({"content_type": "html\r\nX: y"}, "/content_type"),
        ({"more": 1}, "/more"),
    ],
)
def test_announcement_is_checked(service: Service, fields: dict[str, Any], pointer: str) -> None:
    answer = announce(service, **fields)

    assert (answer.code, answer.pointers) == ("validation_error", [pointer])


def test_largest_file_can_be_announced(service: Service) -> None:
    assert announce(service, bytes=200_000_000, filename="x" * 255).status == 201


OTHER = 'Content-Disposition: form-data; name="other"'
PLAIN = 'Content-Disposition: form-data; name="file"'


@pytest.mark.parametrize(
    ("request_parts", "pointer"),
    [
        (form(), "/file"),
        (form(file(b"a"), file(b"b")), "/file"),
        (form(file(b"a"), (OTHER, b"x")), "/other"),
        (form((PLAIN, b"text")), "/file"),
        (form(file(b"")), "/file"),
        (form(file(b"a", name="x" * 256)), "/filename"),
        (form(*[file(b"a")] * 11), ""),
        (form(("X: y", b"a")), ""),
        (form(file(b"a")) | {"body": b"--xXx\r\nnothing"}, ""),
        (form(file(b"a")) | {"headers": {"Content-Type": "multipart/form-data"}}, None),
    ],
)
def test_form_that_holds_no_one_file_is_refused(
    service: Service, request_parts: dict[str, Any], pointer: str | None
) -> None:
    answer = service.call("POST", "/v1/uploads", **request_parts)

    assert answer.code == "validation_error", answer.body
    assert answer.pointers == ["/headers/Content-Type" if pointer is None else pointer]
    assert service.objects() == []


def test_form_keeps_to_the_plans_payload(service: Service) -> None:
    head = len(form(file(b""))["body"])

    assert send(service, b"x" * (4_000_000 - head)).status == 201
    assert send(service, b"x" * (4_000_001 - head)).code == "payload_too_large"


def test_upload_is_its_workspaces_own_and_ends_after_a_day(service: Service) -> None:
    path = f"/v1/uploads/{send(service, b'<p>Hi').json['id']}"
    stranger = service.key("live", service.create_workspace())

    assert service.call("GET", path, key=stranger).code == "upload_not_found"
    assert service.call("GET", path, key=service.test).status == 200
    service.clock.forward(hours=23, minutes=59)
    assert service.call("GET", path).status == 200
    service.clock.forward(minutes=1)
    assert service.call("GET", path).code == "upload_not_found"
    assert service.call("DELETE", path).code == "upload_not_found"


def test_deleted_upload_leaves_nothing(service: Service) -> None:
    path = f"/v1/uploads/{send(service, b'<p>Hi').json['id']}"

    answer = service.call("DELETE", path)

    assert (answer.status, answer.body) == (204, b"")
    assert service.objects() == []
    assert service.call("GET", path).code == "upload_not_found"


def test_uploads_need_a_key_that_may_render(service: Service) -> None:
    reader = service.key("live", scopes=("renders:read",))

    for method, path in (("POST", ""), ("GET", "/upl_1"), ("DELETE", "/upl_1")):
        answer = service.call(method, f"/v1/uploads{path}", key=reader)
        assert answer.code == "insufficient_scope"


def everything_uploaded(html: str, attachment: str, image: str) -> dict[str, Any]:
    attached = {"upload_id": attachment, "filename": "a.xml", "content_type": "text/xml"}
    pdf = {"attachments": [attached], "watermark": {"image": {"upload_id": image}}}
    return {"input": {"type": "html", "upload_id": html}, "output": {"pdf": pdf}}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_render_reads_what_was_uploaded(service: Service, mode: str) -> None:
    contents = (b"\xef\xbb\xbf<p>\xc3\x9c", b"<a/>", b"a picture")
    ids = [send(service, content).json["id"] for content in contents]
    read: list[bytes] = []
    service.engine.before = lambda job: read.extend(job.uploads(name) for name in ids[1:])

    answer = service.render(mode=mode, **everything_uploaded(*ids))
    service.work_off_queue()

    assert answer.status in {200, 202}, answer.body
    assert answer.json["input"]["upload_id"] == ids[0]
    (job,) = service.engine.jobs
    assert job.source == Html("<p>Ü", None, templating=False)
    assert read == list(contents[1:])


def test_render_of_an_upload_that_is_not_there_is_refused_at_its_place(service: Service) -> None:
    there = send(service, b"x").json["id"]
    body = everything_uploaded(there, there, "upl_nothing")

    answer = service.render(**body)

    assert answer.code == "upload_not_found"
    assert answer.status == 404
    assert answer.pointers == ["/output/pdf/watermark/image/upload_id"]
    assert service.engine.jobs == []
    assert service.limits()["holds"] == {}


def test_upload_that_has_not_arrived_cannot_be_rendered_yet(service: Service) -> None:
    upload_id = announce(service).json["id"]
    body: dict[str, Any] = {"input": {"type": "html", "upload_id": upload_id}}

    assert service.render(**body).code == "conflict"
    arrive(service, upload_id, b"<p>Hi")

    assert service.render(**body).status == 200


def claim_to_be(service: Service, size: int) -> str:
    """Return a small upload whose item says that it is this large."""
    upload_id = send(service, b"<p>").json["id"]
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
def test_uploaded_html_has_a_bound(service: Service, size: int, status: int) -> None:
    answer = service.render(input={"type": "html", "upload_id": claim_to_be(service, size)})

    assert answer.status == status
    if status != 200:
        assert answer.pointers == ["/input/upload_id"]


@pytest.mark.parametrize(("sizes", "status"), [((50, 50), 200), ((50, 51), 400)])
def test_what_a_file_carries_has_a_bound(
    service: Service, sizes: tuple[int, int], status: int
) -> None:
    attached = [
        {"upload_id": claim_to_be(service, size * 1_000_000), "filename": f"{n}"}
        for n, size in enumerate(sizes)
    ]

    answer = service.render(output={"pdf": {"attachments": attached}})

    assert answer.status == status, answer.body
    if status != 200:
        assert answer.pointers == ["/output/pdf/attachments/1/upload_id"]


def test_upload_that_goes_before_its_render_begins_fails_it(service: Service) -> None:
    upload_id = send(service, b"<p>Hi").json["id"]
    render = service.render(mode="async", input={"type": "html", "upload_id": upload_id}).json
    service.call("DELETE", f"/v1/uploads/{upload_id}")

    service.work_off_queue()

    read = service.call("GET", f"/v1/renders/{render['id']}").json
    assert (read["status"], read["error"]["code"]) == ("failed", "upload_not_found")


def test_uploaded_html_must_be_utf_8(service: Service) -> None:
    upload_id = send(service, b"<p>\xff").json["id"]

    answer = service.render(input={"type": "html", "upload_id": upload_id})

    assert answer.code == "render_failed"
    assert "UTF-8" in answer.json["detail"]


def test_repeat_is_answered_after_its_upload_is_gone(service: Service) -> None:
    upload_id = send(service, b"<p>Hi").json["id"]
    source = {"type": "html", "upload_id": upload_id}
    body: dict[str, Any] = {"input": source, "headers": {"Idempotency-Key": "k"}}
    first = service.render(**body)
    service.call("DELETE", f"/v1/uploads/{upload_id}")

    again = service.render(**body)

    assert again.status == 200
    assert again.json["id"] == first.json["id"]


def test_engine_is_told_of_an_upload_that_is_gone(service: Service) -> None:
    upload_id = send(service, b"x").json["id"]
    told: list[str] = []

    def before(job: Job) -> None:
        service.call("DELETE", f"/v1/uploads/{upload_id}")
        try:
            job.uploads(upload_id)
        except RenderFailure as failure:
            told.append(failure.code)

    service.engine.before = before
    attached = {"upload_id": upload_id, "filename": "a", "content_type": "text/plain"}
    service.render(output={"pdf": {"attachments": [attached]}})

    assert told == ["upload_not_found"]
