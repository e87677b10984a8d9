"""Bytes of all uploads of a workspace: bounded by the plan, announced ones counted."""

import pytest

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.threads import at_once
from tests.builders.uploads import announce_upload, post_upload, store_announced

MB = 1_000_000
LARGEST = 200 * MB


@pytest.fixture
def free(service: Service) -> Service:
    """Give the service with a workspace of the plan free, which has room for 2 GB."""
    service.workspace = service.create_workspace("free")
    service.live = service.key("live")
    return service


def announce(service: Service, size: int = LARGEST) -> ApiAnswer:
    # The plan has two requests a second.
    service.clock.advance(seconds=1)
    return announce_upload(service, bytes=size)


def fill(service: Service) -> list[str]:
    answers = [announce(service) for _ in range(10)]
    assert {answer.status for answer in answers} == {201}
    return [answer.json["id"] for answer in answers]


def test_announced_bytes_count_before_they_arrive(free: Service) -> None:
    fill(free)

    refused = announce(free, 1)

    assert (refused.status, refused.code) == (409, "conflict")
    assert "2 GB" in refused.json["detail"]
    assert "0 bytes are left" in refused.json["detail"]
    free.clock.advance(seconds=1)
    assert post_upload(free, b"x").code == "conflict"
    assert free.objects() == []


def test_last_byte_has_room(free: Service) -> None:
    fill(free)[0]
    free.clock.advance(hours=26)
    for size in (*[LARGEST] * 9, LARGEST - 5, 5):
        assert announce(free, size).status == 201

    assert announce(free, 1).code == "conflict"


@pytest.mark.parametrize(
    ("plan", "gigabytes"), [("free", 2), ("starter", 10), ("growth", 10), ("pro", 50)]
)
def test_room_is_the_plans(service: Service, plan: str, gigabytes: int) -> None:
    service.workspace = service.create_workspace(plan)
    service.live = service.key("live")

    answers = [announce(service).status for _ in range(gigabytes * 5 + 1)]

    assert answers == [201] * gigabytes * 5 + [409]


def test_room_comes_back_when_uploads_expire(free: Service) -> None:
    fill(free)
    free.clock.advance(hours=23)
    assert announce(free).code == "conflict"

    free.clock.advance(hours=2)

    assert announce(free).status == 201
    assert announce(free).status == 201


def test_deleted_upload_that_was_stored_at_once_gives_its_room_back(free: Service) -> None:
    uploads = fill(free)[1:]
    free.clock.advance(hours=26)
    path = f"/v1/uploads/{post_upload(free, b'x' * 5).json['id']}"
    for _ in uploads:
        announce(free)
    announce(free, LARGEST - 5)
    assert announce(free, 5).code == "conflict"

    for _ in range(2):
        free.clock.advance(seconds=1)
        free.call("DELETE", path)

    assert announce(free, 6).code == "conflict"
    assert announce(free, 5).status == 201
    assert announce(free, 1).code == "conflict"


def test_deleted_announcement_counts_on_since_its_form_still_stores(free: Service) -> None:
    first = fill(free)[0]
    free.clock.advance(seconds=1)
    assert free.call("DELETE", f"/v1/uploads/{first}").status == 204

    assert announce(free, 1).code == "conflict"


def test_form_that_is_used_again_changes_nothing(free: Service) -> None:
    upload = announce(free, 5).json["id"]
    path = f"/v1/uploads/{upload}"
    store_announced(free, upload, b"first")
    assert free.call("GET", path).json["status"] == "ready"

    store_announced(free, upload, b"again")
    free.clock.advance(seconds=1)

    assert free.call("GET", path).json["status"] == "ready"
    kept = free.clients.s3.get_object(
        Bucket=free.settings.bucket, Key=f"tmp/uploads/{free.workspace}/{upload}"
    )
    assert kept["Body"].read() == b"first"


def test_parallel_announcements_never_overshoot(service: Service) -> None:
    service.workspace = service.create_workspace("pro")
    service.live = service.key("live")
    for _ in range(240):
        announce(service)

    answers = at_once(lambda: announce_upload(service, bytes=LARGEST), threads=20)

    assert sorted(answer.status for answer in answers) == [201] * 10 + [409] * 10
