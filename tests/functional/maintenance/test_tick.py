"""The tick: kinds side by side, oldest first, and one failure holds up nothing else."""

import datetime as dt
import json
from typing import Any

import pytest

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import Throttled, Write
from chalicelib.adapters.metrics import Metrics
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.json import JsonObject
from chalicelib.features.maintenance.repository import DueIndex, DueIndexEntry
from chalicelib.features.maintenance.tick import DueRoute, Tick
from tests.builders.service import Service

MANY = DueKind("many", shards=4)
FEW = DueKind("few")


def add_items(service: Service, kind: DueKind, numbers: range, seconds_ago: int) -> None:
    """Write due items; the higher its number, the longer ago an item was due."""
    for number in numbers:
        name = f"{kind.name}_{number:04d}"
        due_at = service.clock.now() - dt.timedelta(seconds=seconds_ago + number)
        item = {
            "PK": f"WS#ws_1#ITM#{name}",
            "SK": "META",
            "due_at": format_rfc3339(due_at),
            "DPK": kind.partition(name),
        }
        service.main_table.write(Write(service.main_table, item=item))


def tick_of(service: Service) -> Tick:
    queues = {MANY: "Renders", FEW: "Maintenance"}
    return Tick(
        index=DueIndex(table=service.main_table),
        routes=[
            DueRoute(kind, Queue(service.clients, service.resources[f"{name}Queue"]["Ref"]), _body)
            for kind, name in queues.items()
        ],
        metrics=Metrics("platen", "tick"),
        clock=service.clock,
    )


def _body(item: DueItem) -> JsonObject:
    return item.to_json()


def received(service: Service, queue: str) -> list[str]:
    """Return the keys in the messages of a queue."""
    url = service.resources[f"{queue}Queue"]["Ref"]
    keys: list[str] = []
    while messages := service.clients.sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=0
    ).get("Messages", []):
        keys += [json.loads(message["Body"])["pk"] for message in messages]
    return keys


def test_every_kind_is_sent_to_its_queue_once(service: Service) -> None:
    add_items(service, MANY, range(25), 60)
    add_items(service, FEW, range(3), 0)
    add_items(service, DueKind("foreign"), range(2), 60)
    tick = tick_of(service)

    assert tick() == 28
    assert tick() == 0

    assert len(set(received(service, "Renders"))) == 25
    assert len(set(received(service, "Maintenance"))) == 3
    service.clock.advance(minutes=5, seconds=1)
    assert tick() == 28, "what is not done comes again"


def test_the_oldest_items_of_all_shards_go_first(service: Service) -> None:
    add_items(service, MANY, range(40), 60)
    index = DueIndex(table=service.main_table)

    found = [entry.pk for entry in index.entries_due(MANY, format_rfc3339(service.clock.now()))]

    assert found == [f"WS#ws_1#ITM#many_{number:04d}" for number in reversed(range(40))]


def test_a_claim_that_fails_holds_up_no_other_item(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_items(service, MANY, range(25), 60)
    add_items(service, FEW, range(3), 0)
    claim = DueIndex.claim

    def throttled(index: DueIndex, entry: DueIndexEntry, until: str) -> Any:
        if entry.pk.endswith("many_0024"):
            raise Throttled
        return claim(index, entry, until)

    with monkeypatch.context() as hot:
        hot.setattr(DueIndex, "claim", throttled)
        with pytest.raises(Throttled):
            tick_of(service)()

    assert len(received(service, "Renders")) == 24
    assert len(received(service, "Maintenance")) == 3
    assert tick_of(service)() == 1


def test_a_kind_whose_queue_fails_holds_up_no_other_kind(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_items(service, MANY, range(5), 60)
    add_items(service, FEW, range(3), 0)
    send = Queue.send_all

    def refuse(queue: Queue, messages: Any) -> None:
        if "many" in str(messages):
            raise ConnectionError
        send(queue, messages)

    monkeypatch.setattr(Queue, "send_all", refuse)

    with pytest.raises(ConnectionError):
        tick_of(service)()

    assert len(received(service, "Maintenance")) == 3
