"""Functions that die over hundreds of uploads, and what happens at the same time."""

from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.ids import RenderId
from chalicelib.features.destinations.uploads import record_round as upload_round
from chalicelib.features.destinations.uploads import upload_files
from chalicelib.features.destinations.uploads.give_up import GiveUpUploads
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.receipts.repository import ReceiptRows
from chalicelib.features.renders.repository import DueWrites
from tests.builders.aws_actions import acting_as
from tests.builders.lambda_client import FunctionKilled
from tests.builders.many_uploads import COUNT, parts, render_many, rows, statuses
from tests.builders.service import Service
from tests.builders.storage_uploads import (
    AWAY,
    maintain,
    make_destination,
    stored_files,
    upload,
    upload_later,
)
from tests.fakes.store import FakeStore


@pytest.mark.breadth
def test_upload_that_ends_while_maintenance_looks_is_not_missed(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = (
        make_destination(service),
        make_destination(service, path_template="bad/{{ filename }}"),
    )
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


@pytest.mark.breadth
def test_receipts_of_a_dead_attempt_are_not_those_of_the_next(
    service: Service, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    destination = make_destination(service)
    store_rows = ReceiptRows.store

    def die_after(rows_: ReceiptRows, render: Any) -> None:
        store_rows(rows_, render)
        raise FunctionKilled

    with monkeypatch.context() as patch:
        patch.setattr(ReceiptRows, "store", die_after)
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


def test_uploads_whose_message_is_given_up_end_step_by_step(
    service: Service, store: FakeStore
) -> None:
    rendered = render_many(service, make_destination(service))
    assert service.relay_events() == []
    message = UploadFilesMessage(service.workspace, RenderId(rendered.json["id"]), 0).to_json()
    give_up = GiveUpUploads(
        outbox=service.services.state.outbox,
        publish=lambda _event: None,
        table=service.main_table,
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


@pytest.mark.breadth
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
