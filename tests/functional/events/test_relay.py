"""Relay of several events together, and of more writes than a transaction takes."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import replace
from itertools import batched
from typing import override

import pytest

from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Table, Write
from chalicelib.features.events.model import (
    EventDelivery,
    OutgoingMessage,
    PublishEvent,
)
from tests.builders.recording_subscriber import RecordingSubscriber, message_of, relay_of
from tests.builders.service import Service


def test_events_of_one_workspace_are_published_in_one_transaction(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    renders = [service.render(output={"format": "png"}).json["id"] for _ in range(8)]
    transactions = []
    transact = Table.transact

    def count(table: Table, writes: Iterable[Write]) -> None:
        transactions.append(list(writes))
        transact(table, transactions[-1])

    monkeypatch.setattr(Table, "transact", count)

    assert service.relay_events() == []

    assert len(transactions) == 1
    assert service.usage() == {"live_succeeded": 8, "billed": 8}
    assert all("published_at" in row for render in renders for row in service.events(render))


def test_event_that_another_relay_publishes_meanwhile_is_left_out(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = [message_of(service.events(service.render().json["id"])[0]) for _ in range(3)]
    subscriber = RecordingSubscriber(service, "one")
    other = relay_of(service, subscriber)
    transact = Table.transact

    def overtaken(table: Table, writes: Iterable[Write]) -> None:
        monkeypatch.setattr(Table, "transact", transact)
        assert other.publish(messages[1:2]) == {}
        transact(table, writes)

    monkeypatch.setattr(Table, "transact", overtaken)

    assert relay_of(service, subscriber).publish(messages) == {}

    assert subscriber.deliveries == 3


class ManyWrites(RecordingSubscriber):
    """Subscriber whose writes for one event fill a transaction."""

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        (write,) = super().writes(deliveries, plans)
        keys = [{"PK": f"MANY#{n}", "SK": "META"} for n in range(98 * len(deliveries))]
        return [replace(write, key=key) for key in keys] + [write]

    @property
    def counts(self) -> Counter[int]:
        keys = [(f"MANY#{n}", "META") for n in range(98)]
        table = self.service.main_table
        rows = [row for some in batched(keys, 100, strict=False) for row in table.get_many(some)]
        return Counter(int(row["told"]) for row in rows)


def test_events_with_too_many_writes_together_are_published_one_after_the_other(
    service: Service,
) -> None:
    messages = [message_of(service.events(service.render().json["id"])[0]) for _ in range(3)]
    subscriber = ManyWrites(service, "many")

    assert relay_of(service, subscriber).publish(messages) == {}

    assert subscriber.counts == {3: 98}
    assert subscriber.deliveries == 3


def test_event_that_fails_does_not_hold_up_the_others(service: Service) -> None:
    good, bad = (message_of(service.events(service.render().json["id"])[0]) for _ in range(2))

    class Picky(RecordingSubscriber):
        @override
        def prepare(self, deliveries: Sequence[EventDelivery]) -> Mapping[str, object]:
            if any(delivery.event.subject == bad.subject for delivery in deliveries):
                raise RuntimeError(self.name)
            return {}

    relay = relay_of(service, Picky(service, "picky"))
    absent = PublishEvent("WS#ws_1#RND#none", "EVENT#none")

    failures = relay.publish([bad, absent, good])

    assert isinstance(failures.pop(bad), RuntimeError)
    assert isinstance(failures.pop(absent), PoisonMessageError)
    assert failures == {}
    assert service.main_table.get("TOLD#picky") is not None


def test_messages_of_a_subscriber_are_sent_again_with_a_repeated_event(service: Service) -> None:
    message = message_of(service.events(service.render().json["id"])[0])

    class Sending(RecordingSubscriber):
        @override
        def follow_up(
            self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
        ) -> Sequence[OutgoingMessage]:
            body = {"ids": [delivery.event.id for delivery in deliveries]}
            return [OutgoingMessage("maintenance", QueueMessage(body, "g"))]

    relay = relay_of(service, Sending(service, "sending"))

    for _ in range(2):
        assert relay.publish([message]) == {}

    received = service.clients.sqs.receive_message(
        QueueUrl=service.resources["MaintenanceQueue"]["Ref"], MaxNumberOfMessages=10
    )
    event_id = message.sort_key.removeprefix("EVENT#")
    assert [json.loads(each["Body"]) for each in received["Messages"]] == [{"ids": [event_id]}] * 2


def test_event_of_an_unknown_type_waits_for_another_release(service: Service) -> None:
    row = service.events(service.render().json["id"])[0]
    service.main_table.write(Write(service.main_table, item=row | {"type": "render.unheard"}))

    assert len(service.relay_events()) == 1

    service.record_dead_letters("Events")
    assert service.dead_letters("Events") == []
