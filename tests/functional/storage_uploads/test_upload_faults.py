"""Uploads that fail, are repeated, or lose what they need."""

import pytest

from chalicelib.features.destinations.outgoing import UploadFailedError
from chalicelib.features.destinations.uploads import record_round as upload_round
from tests.builders.service import Service
from tests.builders.storage_uploads import (
    AWAY,
    DESTINATIONS,
    make_destination,
    receipts,
    render_to,
    shown,
    upload,
    upload_later,
)
from tests.fakes.store import DENIED, FakeStore


def test_failure_that_is_final_is_told(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.failures["write"] = DENIED

    rendered = render_to(service, destination, output={"filename": "x"})
    upload(service)

    (receipt,) = receipts(service, rendered)
    error = {"code": "storage_denied", "message": "The store refused access.", "status": 403}
    assert (receipt["status"], receipt["error"]) == ("failed", error)
    (warning,) = shown(service, rendered)["warnings"]
    assert warning["code"] == "storage_upload_failed"
    failing = service.call("GET", f"{DESTINATIONS}/{destination}").json
    assert (failing["status"], failing["last_error"]["code"]) == ("failing", "storage_denied")
    upload_later(service, hours=25)
    assert store.steps == ["write"]


def test_failure_that_passes_is_repeated(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.failures["write"] = AWAY

    rendered = render_to(service, destination)
    upload(service)
    (receipt,) = receipts(service, rendered)
    assert (receipt["status"], receipt["error"]["code"]) == ("retrying", "storage_unavailable")
    assert service.call("GET", f"{DESTINATIONS}/{destination}").json["status"] == "failing"
    del store.failures["write"]
    # The message of the next attempt waits in real time; what is due is handed out by this one.
    upload_later(service, minutes=3)

    (receipt,) = receipts(service, rendered)
    assert (receipt["status"], receipt["error"]) == ("succeeded", None)
    assert service.call("GET", f"{DESTINATIONS}/{destination}").json["status"] == "active"
    assert store.steps == ["write", "write"]


def test_repeats_end_after_a_day(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.failures["write"] = AWAY
    rendered = render_to(service, destination, destination)
    upload(service)

    for _ in range(30):
        upload_later(service, hours=1)

    statuses = [each["status"] for each in receipts(service, rendered)]
    assert statuses == ["failed", "failed"]
    # The first two within a few minutes, then every four hours.
    assert 8 <= len(store.steps) / 2 <= 12


def test_pause_is_at_least_that_of_the_store(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.failures["write"] = UploadFailedError(
        "storage_unavailable", "Later.", is_final=False, status=503, retry_after_s=7_200
    )
    render_to(service, destination)
    upload(service)

    upload_later(service, minutes=100)
    assert store.steps == ["write"]
    upload_later(service, minutes=25)
    assert store.steps == ["write", "write"]


def test_files_that_are_stored_are_not_sent_again(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.before = lambda _step: store.failures.update(
        {"write": AWAY} if len(store.steps) == 1 else {}
    )

    rendered = render_to(service, destination, output={"formats": ["pdf", "png"], "filename": "x"})
    upload(service)
    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded", "retrying"]
    store.failures.clear()
    store.before = lambda _step: None
    upload_later(service, minutes=5)

    assert [file.path for file in store.written] == ["x.pdf", "x.png"]
    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded"] * 2


def test_deleted_destination_lets_pending_uploads_fail(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    rendered = render_to(service, destination)
    service.relay_events()
    assert service.call("DELETE", f"{DESTINATIONS}/{destination}").status == 204

    upload(service)

    (receipt,) = receipts(service, rendered)
    assert receipt["error"]["code"] == "storage_destination_deleted"
    assert store.steps == []


def test_purge_before_the_upload_lets_it_fail(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    rendered = render_to(service, destination)
    service.relay_events()
    assert service.call("DELETE", f"/v1/renders/{rendered.json['id']}/files").status == 200

    upload(service)

    (receipt,) = receipts(service, rendered)
    assert (receipt["status"], receipt["error"]["code"]) == ("failed", "storage_rejected")
    assert store.steps == []


def test_destination_without_credentials_is_denied(service: Service, store: FakeStore) -> None:
    destination = make_destination(service, credentials=None)

    rendered = render_to(service, destination)
    upload(service)

    (receipt,) = receipts(service, rendered)
    assert (receipt["status"], receipt["error"]["code"]) == ("failed", "storage_denied")
    assert store.opened == []


def test_repeated_message_changes_nothing(service: Service, store: FakeStore) -> None:
    render_to(service, make_destination(service))
    service.relay_events()
    (message,) = service.clients.sqs.receive_message(
        QueueUrl=service.resources["UploadsQueue"]["Ref"], VisibilityTimeout=0
    )["Messages"]

    for _ in range(3):
        service.send("Uploads", message["Body"])
    service.upload_files()
    service.upload_files()

    assert store.steps == ["write"]


def test_many_files_end_together_when_their_time_is_over(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More files than one transaction has.
    monkeypatch.setattr(upload_round, "_MAX_RECORDED", 2)
    store.failures["write"] = AWAY
    formats = ["pdf", "png", "jpeg", "webp", "html"]
    rendered = render_to(service, make_destination(service), output={"formats": formats})
    upload(service)

    failed = []
    for _ in range(30):
        upload_later(service, hours=1)
        failed.append([each["status"] for each in receipts(service, rendered)].count("failed"))

    assert set(failed) == {0, 5}
