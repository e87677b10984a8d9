"""Files that are kept only until their uploads: `hosted`, `keep_hosted_copy`, zero retention."""

import json
from typing import Any

import pytest

from chalicelib.features.destinations.outgoing import UploadFailedError
from tests.builders.batches import make_batch
from tests.builders.email_rules import made_rule, template_id_of
from tests.builders.email_sends import connect, deliver_emails
from tests.builders.service import Service
from tests.builders.storage_uploads import (
    AWAY,
    maintain,
    make_destination,
    receipts,
    render_to,
    shown,
    stored_files,
    upload,
    upload_later,
)
from tests.builders.stored_text import stored_text
from tests.builders.templates import render_template
from tests.fakes.email_provider import FakeProvider
from tests.fakes.store import DENIED, FakeStore

NONE = {"retention": "none"}


@pytest.mark.parametrize("key", ["live", "test"])
@pytest.mark.usefixtures("store")
def test_files_are_deleted_after_their_upload(service: Service, key: str) -> None:
    destination = make_destination(service)
    keys = {"live": service.live, "test": service.test}
    rendered = render_to(
        service, destination, destination, delivery={"hosted": False}, key=keys[key]
    )
    assert "url" not in rendered.json["files"][0]
    assert len(stored_files(service)) == 1

    upload(service)
    maintain(service)

    assert stored_files(service) == []
    read = service.call("GET", f"/v1/renders/{rendered.json['id']}", key=keys[key]).json
    assert [each["status"] for each in read["storage"]] == ["succeeded", "succeeded"]
    assert (read["files"], read["files_purged_at"] is not None) == ([], True)


@pytest.mark.parametrize("failure", [DENIED, AWAY])
def test_files_stay_after_a_failure(
    service: Service, store: FakeStore, failure: UploadFailedError
) -> None:
    good, bad = (
        make_destination(service),
        make_destination(service, path_template="bad/{{ filename }}"),
    )
    store.before = lambda _step: store.failures.update(
        {"write": failure} if store.opened[-1][0].id == bad else {}
    )
    rendered = render_to(service, good, bad, delivery={"hosted": False})

    upload(service)
    for _ in range(30):
        store.failures.clear()
        upload_later(service, hours=1)
    maintain(service)

    assert [each["status"] for each in receipts(service, rendered)] == ["succeeded", "failed"]
    assert len(stored_files(service)) == 1
    (file,) = shown(service, rendered)["files"]
    assert file["expires_at"] is not None
    assert file["url"].startswith("https://")


def test_files_go_when_the_last_repeat_has_succeeded(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.failures["write"] = AWAY
    render_to(service, destination, delivery={"hosted": False})
    upload(service)
    maintain(service)
    assert len(stored_files(service)) == 1

    store.failures.clear()
    upload_later(service, minutes=5)
    maintain(service)

    assert stored_files(service) == []


@pytest.mark.parametrize(
    ("of_destinations", "of_targets", "hosted", "is_kept"),
    [
        ([False, False], [None, None], None, False),
        ([False, True], [None, None], None, True),
        ([True, True], [False, False], None, False),
        ([False, False], [None, True], None, True),
        ([False, False], [None, None], True, True),
        ([True, True], [None, None], False, False),
    ],
)
@pytest.mark.usefixtures("store")
def test_copy_is_kept_unless_all_destinations_say_no(
    service: Service,
    of_destinations: list[bool],
    of_targets: list[bool | None],
    *,
    hosted: bool | None,
    is_kept: bool,
) -> None:
    targets: list[str | dict[str, Any]] = [
        {
            "destination_id": make_destination(service, keep_hosted_copy=keeps),
            "keep_hosted_copy": own,
        }
        for keeps, own in zip(of_destinations, of_targets, strict=True)
    ]

    rendered = render_to(service, *targets, delivery={"hosted": hosted})
    assert ("url" in rendered.json["files"][0]) is is_kept
    upload(service)
    maintain(service)

    assert bool(stored_files(service)) is is_kept


def test_url_needs_a_copy_that_is_kept(service: Service) -> None:
    destination = make_destination(service, keep_hosted_copy=False)

    answer = render_to(service, destination, delivery={"type": "url"})

    assert (answer.status, answer.pointers) == (400, ["/delivery/type"])


def test_binary_answer_is_uploaded_too(service: Service, store: FakeStore) -> None:
    destination = make_destination(service, keep_hosted_copy=False)

    answer = render_to(
        service, destination, delivery={"type": "binary"}, timeout_behavior="continue"
    )
    upload(service)
    maintain(service)

    assert answer.body == service.engine.content
    assert len(store.files) == 1
    assert stored_files(service) == []


@pytest.mark.parametrize("order", ["emails first", "uploads first"])
def test_files_wait_for_emails_and_uploads(service: Service, store: FakeStore, order: str) -> None:
    fake_provider = FakeProvider()
    destination, template_id = make_destination(service), template_id_of(service)
    made_rule(service, template_id, connect(service)["id"], to="ada@example.com")
    delivery = {"hosted": False, "storage": [{"destination_id": destination}]}
    path = f"/v1/templates/{template_id}"
    render_template(service, path, delivery=delivery, data={"n": 1})

    is_email_first = order == "emails first"
    for is_email in (is_email_first, not is_email_first):
        assert len(stored_files(service)) == 1
        if is_email:
            deliver_emails(service, fake_provider)
        else:
            upload(service)
        maintain(service)

    assert stored_files(service) == []
    assert len(store.files) == 1


def test_files_of_a_batch_wait_for_combined_ones_and_uploads(
    service: Service, store: FakeStore
) -> None:
    destination = make_destination(service, path_template="{{ render_id }}/{{ filename }}")
    delivery = {"hosted": False, "storage": [{"destination_id": destination}]}
    make_batch(service, 2, delivery=delivery, combine={"zip": True})
    service.run_batches()
    assert len(stored_files(service)) == 2

    upload(service)
    maintain(service)

    assert len(store.files) == 2
    assert stored_files(service) == []


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_zero_retention_leaves_nothing_after_the_upload(
    service: Service, store: FakeStore, mode: str
) -> None:
    destination = make_destination(service)
    target = {"destination_id": destination, "path": "archive-1.pdf"}
    rendered = render_to(
        service,
        target,
        delivery=NONE,
        mode=mode,
        input={"type": "html", "html": "<p>topsecret {{ word }}"},
        data={"word": "topsecret"},
        output={"filename": "topsecret"},
    )
    assert rendered.status == (200 if mode == "sync" else 202), rendered.body
    service.run_queued()
    assert len(stored_files(service)) == 1
    assert shown(service, rendered)["files"] == []

    upload(service)
    maintain(service)

    assert service.objects() == []
    assert store.files == {"archive-1.pdf": service.engine.content}
    assert "topsecret" not in stored_text(service)
    read = shown(service, rendered)
    assert (read["status"], read["files"], read["billed"]) == ("succeeded", [], True)
    assert [each["path"] for each in read["storage"]] == ["archive-1.pdf"]
    assert "topsecret" not in json.dumps(read)


def test_zero_retention_keeps_a_file_for_a_day_at_most(service: Service, store: FakeStore) -> None:
    destination = make_destination(service)
    store.failures["write"] = AWAY
    rendered = render_to(service, destination, delivery=NONE)
    upload(service)

    upload_later(service, hours=23)
    assert len(stored_files(service)) == 1
    upload_later(service, hours=2)
    maintain(service)

    assert stored_files(service) == []
    assert receipts(service, rendered)[0]["status"] == "failed"
    assert shown(service, rendered)["files_purged_at"] is not None


def test_zero_retention_is_no_source_while_it_waits_for_an_upload(
    service: Service, store: FakeStore
) -> None:
    destination = make_destination(service)
    store.failures["write"] = AWAY
    rendered = render_to(service, destination, delivery=NONE)
    upload(service)
    row = service.services.state.renders.get(service.workspace, rendered.json["id"])
    assert row is not None

    for source in ({"render_id": row.id}, {"file_id": row.files[0].id}):
        body = {"source": source, "degrees": 90}
        refused = service.call("POST", "/v1/pdf-tools/rotate", json_body=body)
        assert refused.status in {404, 410}, source


def test_zero_retention_with_a_binary_answer_is_uploaded(
    service: Service, store: FakeStore
) -> None:
    destination = make_destination(service)

    answer = render_to(service, destination, delivery={**NONE, "type": "binary"})
    upload(service)
    maintain(service)

    assert answer.body == service.engine.content
    assert len(store.files) == 1
    assert service.objects() == []


def test_zero_retention_of_a_batch_goes_to_its_destination(
    service: Service, store: FakeStore
) -> None:
    destination = make_destination(service, path_template="{{ render_id }}/{{ filename }}")
    delivery = {**NONE, "storage": [{"destination_id": destination}]}

    make_batch(service, 2, delivery=delivery)
    service.run_batches()
    upload(service)
    maintain(service)

    assert len(store.files) == 2
    assert stored_files(service) == []
