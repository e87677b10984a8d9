"""Uploads of renders with hundreds of files: their receipts stand in rows of their own."""

import json
from typing import Any

import pytest

from chalicelib.features.renders.erase import EraseRenders
from chalicelib.features.renders.rows import render_of
from tests.builders.many_uploads import COUNT, parts, render_many, rows, statuses
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
from tests.builders.webhooks import deliver, make_endpoint, receiver_of
from tests.fakes.store import DENIED, FakeStore


def test_all_files_are_uploaded_and_shown_in_order(service: Service, store: FakeStore) -> None:
    first, second = (
        make_destination(service, path_template="a/{{ filename }}"),
        make_destination(service),
    )

    rendered = render_many(service, first, second)
    pending = rendered.json["storage"]
    upload(service)

    names = [f"x-{n}.pdf" for n in range(1, COUNT + 1)]
    expected = [(first, f"a/{name}") for name in names] + [(second, name) for name in names]
    assert [(each["destination_id"], each["path"]) for each in pending] == expected
    done = receipts(service, rendered)
    assert [(each["destination_id"], each["path"]) for each in done] == expected
    assert {each["status"] for each in done} == {"succeeded"}
    assert store.files == {
        key: service.engine.files[n % COUNT].content
        for n, (_, key) in enumerate(expected)
        if service.engine.files
    }
    assert len(store.opened) == 2, "one session for each target"
    assert "storage" not in rows(service, rendered, "META")[0]


@pytest.mark.breadth
def test_few_files_have_their_receipts_in_the_row_of_the_render(
    service: Service, store: FakeStore
) -> None:
    service.engine.files = parts(60)

    rendered = render_to(service, make_destination(service))
    upload(service)

    assert len(rows(service, rendered, "META")[0]["storage"]) == 60
    assert rows(service, rendered, "RECEIPTS#") == []
    assert len(store.files) == 60


@pytest.mark.breadth
@pytest.mark.usefixtures("store")
def test_files_go_after_the_last_upload_of_the_last_target(service: Service) -> None:
    targets = [make_destination(service) for _ in range(2)]
    rendered = render_many(service, *targets, delivery={"hosted": False})

    assert len(stored_files(service)) == COUNT
    upload(service)
    maintain(service)

    assert stored_files(service) == []
    assert shown(service, rendered)["files"] == []
    assert statuses(service, rendered) == {"succeeded": 2 * COUNT}


@pytest.mark.breadth
def test_files_stay_until_the_other_target_has_them(service: Service, store: FakeStore) -> None:
    good, bad = (
        make_destination(service),
        make_destination(service, path_template="bad/{{ filename }}"),
    )
    store.before = lambda _step: store.failures.update(
        {"write": AWAY} if store.opened[-1][0].id == bad else {}
    )
    rendered = render_many(service, good, bad, delivery={"hosted": False})
    upload(service)
    maintain(service)
    assert statuses(service, rendered) == {"succeeded": COUNT, "retrying": 1, "pending": COUNT - 1}
    assert len(stored_files(service)) == COUNT

    store.failures.clear()
    store.before = lambda _step: None
    upload_later(service, minutes=5)
    maintain(service)

    assert statuses(service, rendered) == {"succeeded": 2 * COUNT}
    assert stored_files(service) == []


def test_uploads_that_fail_for_good_have_an_event_each(service: Service, store: FakeStore) -> None:
    store.failures["write"] = DENIED
    rendered = render_many(service, make_destination(service))
    upload(service)

    events = [
        row["detail"]["file_id"]
        for row in service.events(rendered.json["id"])
        if row["type"] == "storage.upload_failed"
    ]
    render = shown(service, rendered)
    assert sorted(events) == sorted(file["id"] for file in render["files"])
    assert {each["error"]["code"] for each in render["storage"]} == {"storage_denied"}
    warnings = [each["message"] for each in render["warnings"]]
    assert len(warnings) == 61
    assert warnings[-1].startswith("10 more files")


@pytest.mark.breadth
def test_uploads_are_repeated_for_a_day_and_then_fail(service: Service, store: FakeStore) -> None:
    store.failures["write"] = AWAY
    rendered = render_many(service, make_destination(service))
    upload(service)
    for _ in range(30):
        upload_later(service, hours=1)

    assert statuses(service, rendered) == {"failed": COUNT}
    assert len(shown(service, rendered)["files"]) == COUNT


@pytest.mark.breadth
@pytest.mark.usefixtures("store")
def test_key_that_cannot_be_made_fails_alone(service: Service) -> None:
    target = {"destination_id": make_destination(service), "path": "{{ 1 / (index - 3) }}.pdf"}

    rendered = render_many(service, target)
    assert [n for n, each in enumerate(rendered.json["storage"]) if each["path"] is None] == [3]
    upload(service)

    done = receipts(service, rendered)
    assert (done[3]["status"], done[3]["error"]["code"]) == ("failed", "storage_key_invalid")
    assert statuses(service, rendered) == {"succeeded": COUNT - 1, "failed": 1}
    failures = [
        row for row in service.events(rendered.json["id"]) if row["type"] != "render.succeeded"
    ]
    assert len(failures) == 1


@pytest.mark.parametrize("failure", [None, DENIED])
def test_zero_retention_keeps_nothing_but_keys(
    service: Service, store: FakeStore, failure: Any
) -> None:
    if failure is not None:
        store.failures["write"] = failure
    rendered = render_many(service, make_destination(service), delivery={"retention": "none"})
    assert rendered.json["files"] == []
    upload(service)
    maintain(service)

    assert stored_files(service) == []
    status = "succeeded" if failure is None else "failed"
    assert statuses(service, rendered) == {status: COUNT}
    kept = render_of(rows(service, rendered, "META")[0]).files
    render_id = rendered.json["id"]
    assert [file.filename for file in kept] == [f"{render_id}-{n}.pdf" for n in range(1, COUNT + 1)]


@pytest.mark.usefixtures("store")
def test_webhook_has_all_files_and_receipts(service: Service) -> None:
    with receiver_of(service) as receiver:
        make_endpoint(service, receiver.url, events=["render.succeeded"])
        rendered = render_many(service, make_destination(service))
        deliver(service)
        (received,) = receiver.received

    delivered = json.loads(received.body)["data"]["object"]
    assert delivered["id"] == rendered.json["id"]
    assert [each["path"] for each in delivered["storage"]] == [
        f"x-{n}.pdf" for n in range(1, COUNT + 1)
    ]
    assert len({file["url"] for file in delivered["files"]}) == COUNT


@pytest.mark.breadth
@pytest.mark.usefixtures("store")
def test_largest_receipts_fit_into_rows_and_answers(service: Service) -> None:
    service.engine.files = parts(500)
    targets = [
        {"destination_id": make_destination(service), "path": "界" * 339 + "{{ index }}"}
        for _ in range(5)
    ]

    rendered = render_to(service, *targets, output={"filename": "界" * 66})

    assert len(rendered.json["storage"]) == 2_500
    assert len(json.dumps(rendered.body.decode(), ensure_ascii=False).encode()) < 6_000_000
    sizes = [
        len(json.dumps(row, ensure_ascii=False, default=str).encode())
        for row in service.rows(rendered.json["id"])
    ]
    assert max(sizes) < 150_000
    listed = service.call("GET", "/v1/renders?limit=20").json["data"]
    assert len(listed[0]["storage"]) == 2_500


@pytest.mark.breadth
@pytest.mark.usefixtures("store")
def test_erased_render_leaves_no_row_and_no_object(service: Service) -> None:
    rendered = render_many(service, make_destination(service))
    upload(service)
    file_id = rendered.json["files"][-1]["id"]
    state = service.services.state
    erase = EraseRenders(
        table=state.main_table,
        renders=state.renders,
        files=state.files,
        objects=state.objects,
        bodies=state.bodies,
    )
    assert len(rows(service, rendered, "RECEIPTS#")) == 3

    for _ in erase(service.workspace):
        pass

    assert service.rows(rendered.json["id"]) == []
    assert service.objects() == []
    assert state.files.get(file_id) is None


def test_render_without_files_has_no_uploads(service: Service, store: FakeStore) -> None:
    service.engine.files = ()
    destination = make_destination(service)

    answers = [
        render_to(service, destination, delivery=delivery)
        for delivery in ({}, {"hosted": False}, {"retention": "none"})
    ]
    upload(service)
    maintain(service)

    for answer in answers:
        render = shown(service, answer)
        assert (render["status"], render["storage"], render["files"]) == ("succeeded", [], [])
        assert rows(service, answer, "UPLOAD#") == []
    assert store.opened == []
    assert service.objects() == []
