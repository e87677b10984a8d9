"""Objects of a real store, read and written by presigned addresses without credentials."""

import hashlib

import pytest

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.net.presigned import PresignedHttpObjects
from chalicelib.engine.ports import HostUnreachableError, PresignedPost
from tests.builders.waiting import PATIENCE_S
from tests.integration.objects.conftest import BUCKET

pytestmark = pytest.mark.integration

KEY = "tmp/ws/ws_1/engine/rnd_1/result"
BODY = b"\x00\xff" * 500


@pytest.fixture
def objects(clients: AwsClients) -> Objects:
    return Objects(clients, BUCKET)


def form(objects: Objects, expires_s: int = 60) -> PresignedPost:
    return objects.presigned_post(
        KEY,
        content_type="application/octet-stream",
        min_bytes=10,
        max_bytes=1_000,
        expires_s=expires_s,
    )


def post(to: PresignedPost, body: bytes = BODY) -> None:
    PresignedHttpObjects().post(to, body, timeout_s=PATIENCE_S)


def get(url: str, max_bytes: int = 1_000) -> bytes | None:
    return PresignedHttpObjects().get(url, max_bytes=max_bytes, timeout_s=PATIENCE_S)


def test_object_is_stored_and_read(objects: Objects) -> None:
    post(form(objects))

    assert objects.get(KEY) == BODY
    assert get(objects.presigned_get(KEY, expires_s=60)) == BODY


@pytest.mark.parametrize("body", [BODY + b"1", b"x" * 9, b""], ids=["larger", "smaller", "empty"])
def test_form_refuses_other_sizes(objects: Objects, body: bytes) -> None:
    with pytest.raises(HostUnreachableError):
        post(form(objects), body)

    assert objects.get(KEY) is None


def test_form_refuses_another_key(objects: Objects) -> None:
    changed = form(objects)
    changed = changed._replace(fields={**changed.fields, "key": "ws/ws_1/files/other"})

    with pytest.raises(HostUnreachableError):
        post(changed)

    assert objects.get("ws/ws_1/files/other") is None


def test_addresses_run_out(objects: Objects) -> None:
    objects.put(KEY, BODY, content_type="application/pdf", sha256=hashlib.sha256(BODY).digest())

    assert get(objects.presigned_get(KEY, expires_s=-1)) is None
    with pytest.raises(HostUnreachableError):
        post(form(objects, expires_s=-1))


def test_absent_and_larger_objects_are_not_read(objects: Objects) -> None:
    url = objects.presigned_get(KEY, expires_s=60)
    assert get(url) is None

    post(form(objects))
    with pytest.raises(HostUnreachableError, match="more than 999 bytes"):
        get(url, max_bytes=999)


def test_address_reads_no_other_object(objects: Objects) -> None:
    post(form(objects))
    url = objects.presigned_get("tmp/ws/ws_1/engine/rnd_2/result", expires_s=60)

    assert get(url.replace("rnd_2", "rnd_1")) is None
