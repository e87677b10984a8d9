"""`/v1/uploads`: forms and announced files in, items and objects out."""

import base64
from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib.core.ids import sha256_hex
from tests.builders.service import Service
from tests.builders.uploads import (
    announce_upload,
    file_part,
    multipart_request,
    post_upload,
    store_announced,
)

BINARY = bytes(range(256)) + b"\r\n--not the boundary\r\n\n\r\x00"


def test_form_upload_keeps_the_bytes(service: Service) -> None:
    answer = post_upload(service, BINARY, name="Ünterlage.bin", kind="application/x-thing")

    assert answer.status == 201, answer.body
    upload = answer.json
    assert (upload["object"], upload["status"]) == ("upload", "ready")
    assert upload["filename"] == "Ünterlage.bin"
    assert upload["content_type"] == "application/x-thing"
    assert upload["bytes"] == len(BINARY)
    assert upload["sha256"] == sha256_hex(BINARY)
    assert "upload" not in upload
    (key,) = service.objects()
    kept = service.clients.s3.get_object(Bucket=service.settings.bucket, Key=key)
    assert kept["Body"].read() == BINARY
    assert answer.headers["Location"] == f"https://api.test/v1/uploads/{upload['id']}"
    assert service.call("GET", f"/v1/uploads/{upload['id']}").json == upload


def test_announced_upload_is_pending_until_its_bytes_arrive(service: Service) -> None:
    answer = announce_upload(service, bytes=7)

    upload = answer.json
    assert answer.status == 201
    assert (upload["status"], upload["sha256"]) == ("pending", None)
    assert urlsplit(upload["upload"]["url"]).scheme == "https"
    policy = base64.b64decode(upload["upload"]["fields"]["policy"]).decode()
    assert '["content-length-range", 7, 7]' in policy
    shown = service.call("GET", f"/v1/uploads/{upload['id']}").json
    assert shown == {name: value for name, value in upload.items() if name != "upload"}

    store_announced(service, upload["id"], b"<p>Hi!")

    shown = service.call("GET", f"/v1/uploads/{upload['id']}").json
    assert (shown["status"], shown["bytes"]) == ("ready", 6)
    assert shown["sha256"] == sha256_hex(b"<p>Hi!")


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
def test_invalid_announcement_is_refused(
    service: Service, fields: dict[str, Any], pointer: str
) -> None:
    answer = announce_upload(service, **fields)

    assert (answer.code, answer.pointers) == ("validation_error", [pointer])


def test_largest_file_can_be_announced(service: Service) -> None:
    assert announce_upload(service, bytes=200_000_000, filename="x" * 255).status == 201


OTHER = 'Content-Disposition: form-data; name="other"'
PLAIN = 'Content-Disposition: form-data; name="file"'


@pytest.mark.parametrize(
    ("request_parts", "pointer"),
    [
        (multipart_request(), "/file"),
        (multipart_request(file_part(b"a"), file_part(b"b")), "/file"),
        (multipart_request(file_part(b"a"), (OTHER, b"x")), "/other"),
        (multipart_request((PLAIN, b"text")), "/file"),
        (multipart_request(file_part(b"")), "/file"),
        (multipart_request(file_part(b"a", name="x" * 256)), "/filename"),
        (multipart_request(*[file_part(b"a")] * 11), ""),
        (multipart_request(("X: y", b"a")), ""),
        (multipart_request(file_part(b"a")) | {"body": b"--xXx\r\nnothing"}, ""),
        (
            multipart_request(file_part(b"a"))
            | {"headers": {"Content-Type": "multipart/form-data"}},
            None,
        ),
    ],
)
def test_form_without_exactly_one_file_is_refused(
    service: Service, request_parts: dict[str, Any], pointer: str | None
) -> None:
    answer = service.call("POST", "/v1/uploads", **request_parts)

    assert answer.code == "validation_error", answer.body
    assert answer.json["detail"].startswith(pointer or ("The body: " if pointer == "" else "/"))
    assert answer.pointers == ["/headers/Content-Type" if pointer is None else pointer]
    assert service.objects() == []


def test_form_is_limited_by_the_plans_payload(service: Service) -> None:
    head = len(multipart_request(file_part(b""))["body"])

    assert post_upload(service, b"x" * (4_000_000 - head)).status == 201
    assert post_upload(service, b"x" * (4_000_001 - head)).code == "payload_too_large"


def test_upload_is_private_to_its_workspace_and_expires_after_a_day(service: Service) -> None:
    path = f"/v1/uploads/{post_upload(service, b'<p>Hi').json['id']}"
    stranger = service.key("live", service.create_workspace())

    assert service.call("GET", path, key=stranger).code == "upload_not_found"
    assert service.call("GET", path, key=service.test).status == 200
    service.clock.advance(hours=23, minutes=59)
    assert service.call("GET", path).status == 200
    service.clock.advance(minutes=1)
    assert service.call("GET", path).code == "upload_not_found"
    assert service.call("DELETE", path).code == "upload_not_found"


def test_deleted_upload_leaves_nothing(service: Service) -> None:
    path = f"/v1/uploads/{post_upload(service, b'<p>Hi').json['id']}"

    answer = service.call("DELETE", path)

    assert (answer.status, answer.body) == (204, b"")
    assert service.objects() == []
    assert service.call("GET", path).code == "upload_not_found"


def test_uploads_need_the_render_scope(service: Service) -> None:
    reader = service.key("live", scopes=("renders:read",))

    for method, path in (("POST", ""), ("GET", "/upl_1"), ("DELETE", "/upl_1")):
        answer = service.call(method, f"/v1/uploads{path}", key=reader)
        assert answer.code == "insufficient_scope"


def test_form_cannot_replace_an_arrived_file(service: Service) -> None:
    upload = announce_upload(service, bytes=5).json
    store_announced(service, upload["id"], b"<p>1<")
    assert service.call("GET", f"/v1/uploads/{upload['id']}").json["status"] == "ready"

    store_announced(service, upload["id"], b"<p>2<")
    answer = service.render(input={"type": "html", "upload_id": upload["id"]})

    assert answer.status == 200
    assert service.engine.html_texts == ["<p>1<"]
    service.call("DELETE", f"/v1/uploads/{upload['id']}")
    assert [key for key in service.objects() if upload["id"] in key] == []


def test_name_that_is_no_utf8_is_refused_in_plain_words(service: Service) -> None:
    form = multipart_request(file_part(b"x", name="NAME"))
    form["body"] = form["body"].replace(b"NAME", "ü.html".encode("latin-1"))

    answer = service.call("POST", "/v1/uploads", **form)

    assert answer.code == "validation_error"
    assert answer.json["errors"][0]["message"] == (
        "the form cannot be read: the names in it must be UTF-8"
    )
