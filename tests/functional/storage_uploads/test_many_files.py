"""Uploads of renders with hundreds of files: their receipts stand in rows of their own."""

import json
from collections import Counter
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import RenderId
from chalicelib.engine.job import RenderedFile
from chalicelib.features.destinations.uploads import round as upload_round
from chalicelib.features.destinations.uploads import upload_files
from chalicelib.features.destinations.uploads.give_up import GiveUpUploads
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.renders import receipt_rows
from chalicelib.features.renders.due_writes import DueWrites
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.purge import EraseRenders
from tests.builders.aws_actions import acting_as
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
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

COUNT: Final = 70
_LIMIT_OF_ANSWERS: Final = 6_000_000


def parts(count: int = COUNT) -> tuple[RenderedFile, ...]:
    return tuple(
        RenderedFile("pdf", b"%%PDF %d" % n, "application/pdf", pages=1, part=n)
        for n in range(1, count + 1)
    )


def render_many(service: Service, *targets: str | dict[str, Any], **fields: Any) -> ApiAnswer:
    """Render more files than the row of a render has receipts of."""
    service.engine.files = parts()
    return render_to(service, *targets, output={"filename": "x"}, **fields)


def statuses(service: Service, rendered: ApiAnswer) -> Counter[str]:
    return Counter(each["status"] for each in receipts(service, rendered))


def rows(service: Service, rendered: ApiAnswer, prefix: str) -> list[dict[str, Any]]:
    return [row for row in service.rows(rendered.json["id"]) if row["SK"].startswith(prefix)]


def test_all_files_are_uploaded_and_shown_in_order(service: Service, store: FakeStore) -> None:
    first, second = make_destination(service, prefix="a/"), make_destination(service)

    rendered = render_many(service, first, second)
    pending = rendered.json["storage"]
    upload(service)

    names = [f"x-{n}.pdf" for n in range(1, COUNT + 1)]
    expected = [(first, f"a/{name}") for name in names] + [(second, name) for name in names]
    assert [(each["destination_id"], each["key"]) for each in pending] == expected
    done = receipts(service, rendered)
    assert [(each["destination_id"], each["key"]) for each in done] == expected
    assert {each["status"] for each in done} == {"succeeded"}
    assert store.files == {
        key: service.engine.files[n % COUNT].content
        for n, (_, key) in enumerate(expected)
        if service.engine.files
    }
    assert len(store.opened) == 2, "one session for each target"
    assert "storage" not in rows(service, rendered, "META")[0]


def test_few_files_have_their_receipts_in_the_row_of_the_render(
    service: Service, store: FakeStore
) -> None:
    service.engine.files = parts(60)

    rendered = render_to(service, make_destination(service))
    upload(service)

    assert len(rows(service, rendered, "META")[0]["storage"]) == 60
    assert rows(service, rendered, "RECEIPTS#") == []
    assert len(store.files) == 60


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


def test_files_stay_until_the_other_target_has_them(service: Service, store: FakeStore) -> None:
    good, bad = make_destination(service), make_destination(service, prefix="bad/")
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


def test_upload_that_ends_while_maintenance_looks_is_not_missed(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = make_destination(service), make_destination(service, prefix="bad/")
    store.before = lambda _step: store.failures.update(
        {"write": AWAY} if store.opened[-1][0].id == bad else {}
    )
    render_many(service, good, bad, delivery={"hosted": False})
    upload(service)
    looks_away = DueWrites.removal_after_delivery

    def let_the_other_end(due: DueWrites, render: Render) -> Write:
        monkeypatch.undo()
        store.failures.clear()
        store.before = lambda _step: None
        with acting_as(""):
            upload_later(service, minutes=2)
        return looks_away(due, render)

    monkeypatch.setattr(DueWrites, "removal_after_delivery", let_the_other_end)
    maintain(service)
    service.clock.advance(minutes=5)
    maintain(service)

    assert len(store.files) == 2 * COUNT
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


def test_uploads_are_repeated_for_a_day_and_then_fail(service: Service, store: FakeStore) -> None:
    store.failures["write"] = AWAY
    rendered = render_many(service, make_destination(service))
    upload(service)
    for _ in range(30):
        upload_later(service, hours=1)

    assert statuses(service, rendered) == {"failed": COUNT}
    assert len(shown(service, rendered)["files"]) == COUNT


@pytest.mark.usefixtures("store")
def test_key_that_cannot_be_made_fails_alone(service: Service) -> None:
    key = {"destination_id": make_destination(service), "key": "{{ 1 / (index - 3) }}.pdf"}

    rendered = render_many(service, key)
    assert [n for n, each in enumerate(rendered.json["storage"]) if each["key"] is None] == [3]
    upload(service)

    done = receipts(service, rendered)
    assert (done[3]["status"], done[3]["error"]["code"]) == ("failed", "storage_key_invalid")
    assert statuses(service, rendered) == {"succeeded": COUNT - 1, "failed": 1}
    failures = [
        row for row in service.events(rendered.json["id"]) if row["type"] != "render.succeeded"
    ]
    assert len(failures) == 1


class _Kill:
    """Kills the function at the nth hit of a crash point."""

    def __init__(self, name: str, hit: int) -> None:
        self.name = name
        self.left = hit

    def __call__(self, point: Any) -> None:
        if point.name == self.name:
            self.left -= 1
            if self.left == 0:
                raise FunctionKilled


@pytest.mark.parametrize(
    ("name", "hit", "writes"),
    [
        ("STORAGE_CLAIMED", 1, COUNT),
        ("STORAGE_STORED", 30, COUNT + 1),
        ("STORAGE_RECORDED", 30, COUNT),
        ("STORAGE_RECORDED", COUNT, COUNT),
    ],
)
def test_each_file_is_recorded_although_a_function_dies(
    service: Service,
    store: FakeStore,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    hit: int,
    writes: int,
) -> None:
    rendered = render_many(service, make_destination(service), delivery={"hosted": False})

    with monkeypatch.context() as patch:
        for module in (upload_files, upload_round):
            patch.setattr(module, "crash_if_armed", _Kill(name, hit))
        assert service.relay_events() == []
        with pytest.raises(FunctionKilled):
            service.upload_files()
    for _ in range(3):
        upload_later(service, minutes=3)
    maintain(service)

    assert len(store.written) == writes
    assert statuses(service, rendered) == {"succeeded": COUNT}
    assert stored_files(service) == []


def test_receipts_of_a_dead_attempt_are_not_those_of_the_next(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    destination = make_destination(service)
    store_rows = receipt_rows.ReceiptRows.store

    def die_after(rows_: receipt_rows.ReceiptRows, render: Any) -> None:
        store_rows(rows_, render)
        raise FunctionKilled

    with monkeypatch.context() as patch:
        patch.setattr(receipt_rows.ReceiptRows, "store", die_after)
        rendered = render_many(service, destination, mode="async")
        with pytest.raises(FunctionKilled):
            service.run_queued()
    service.engine.files = parts(COUNT + 10)
    service.clock.advance(minutes=10)
    service.tick()
    service.run_maintenance()
    service.run_queued()
    upload(service)

    assert statuses(service, rendered) == {"succeeded": COUNT + 10}
    assert len(stored_files(service)) == COUNT + 10
    now = service.clock.now().timestamp()
    dead = rows(service, rendered, "RECEIPTS#1#")
    assert dead
    assert all(now < row["ttl"] < now + 15 * 86_400 for row in dead)
    kept = rows(service, rendered, "RECEIPTS#2#")
    assert {row["ttl"] for row in kept} == {rows(service, rendered, "META")[0]["ttl"]}
    assert len(store.files) == COUNT + 10


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
    outcome = rows(service, rendered, "META")[0]["outcome"]
    assert "x-1" not in outcome


def test_uploads_whose_message_is_given_up_end_step_by_step(
    service: Service, store: FakeStore
) -> None:
    rendered = render_many(service, make_destination(service))
    assert service.relay_events() == []
    message = UploadFilesMessage(service.workspace, RenderId(rendered.json["id"]), 0).to_json()
    give_up = GiveUpUploads(
        outbox=service.services.state.outbox,
        publish=lambda _event: None,
        tables=service.services.state.tables,
        table=service.settings.main_table,
        clock=service.clock,
    )

    outcomes = [give_up(message) for _ in range(3)]

    assert outcomes == [
        "40 uploads ended as failed",
        f"{COUNT - 40} uploads ended as failed",
        "the uploads had ended",
    ]
    assert statuses(service, rendered) == {"failed": COUNT}
    assert store.opened == []


def test_round_ends_in_time_and_goes_on_in_the_next(service: Service, store: FakeStore) -> None:
    def take_long(_step: str) -> None:
        service.clock.advance(seconds=20)

    store.before = take_long
    rendered = render_many(service, make_destination(service))
    assert service.relay_events() == []
    assert service.upload_files() == []
    after_one = len(store.files)

    for _ in range(COUNT):
        service.clock.advance(minutes=3)
        service.tick()
        assert service.upload_files() == []

    assert 0 < after_one < COUNT
    assert len(store.written) == COUNT
    assert statuses(service, rendered) == {"succeeded": COUNT}


@pytest.mark.usefixtures("store")
def test_webhook_has_all_files_and_receipts(service: Service) -> None:
    with receiver_of(service) as receiver:
        make_endpoint(service, receiver.url, events=["render.succeeded"])
        rendered = render_many(service, make_destination(service))
        deliver(service)
        (received,) = receiver.received

    delivered = json.loads(received.body)["data"]["object"]
    assert delivered["id"] == rendered.json["id"]
    assert [each["key"] for each in delivered["storage"]] == [
        f"x-{n}.pdf" for n in range(1, COUNT + 1)
    ]
    assert len({file["url"] for file in delivered["files"]}) == COUNT


@pytest.mark.usefixtures("store")
def test_largest_receipts_fit_into_rows_and_answers(service: Service) -> None:
    service.engine.files = parts(500)
    targets = [
        {"destination_id": make_destination(service), "key": "界" * 339 + "{{ index }}"}
        for _ in range(5)
    ]

    rendered = render_to(service, *targets, output={"filename": "界" * 66})

    assert len(rendered.json["storage"]) == 2_500
    assert len(json.dumps(rendered.body.decode(), ensure_ascii=False).encode()) < _LIMIT_OF_ANSWERS
    sizes = [
        len(json.dumps(row, ensure_ascii=False, default=str).encode())
        for row in service.rows(rendered.json["id"])
    ]
    assert max(sizes) < 150_000
    listed = service.call("GET", "/v1/renders?limit=20").json["data"]
    assert len(listed[0]["storage"]) == 2_500


@pytest.mark.usefixtures("store")
def test_erased_render_leaves_no_row_and_no_object(service: Service) -> None:
    rendered = render_many(service, make_destination(service))
    upload(service)
    file_id = rendered.json["files"][-1]["id"]
    state = service.services.state
    erase = EraseRenders(
        tables=state.tables,
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
