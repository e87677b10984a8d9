"""Subscriber that records its events, and a relay for it."""

from collections.abc import Mapping, Sequence
from typing import override

from chalicelib.adapters.aws.table import Row, Write
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.features.events.model import (
    EventDelivery,
    PublishEvent,
    Subscriber,
)
from chalicelib.features.events.relay import OutboxRelay
from tests.builders.service import Service


class RecordingSubscriber(Subscriber):
    """Subscriber that counts its deliveries in a row; fails on request."""

    def __init__(self, service: Service, name: str) -> None:
        self.service = service
        self.name = name
        self.fails = False

    types = frozenset({"render.succeeded"})

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        assert all(delivery.subject_row["SK"] == "META" for delivery in deliveries)
        if self.fails:
            raise RuntimeError(self.name)
        return (
            Write(
                self.service.main_table,
                key={"PK": f"TOLD#{self.name}", "SK": "META"},
                update="ADD told :count",
                values={":count": len(deliveries)},
            ),
        )

    @property
    def deliveries(self) -> int:
        item = self.service.main_table.get(f"TOLD#{self.name}")
        return int(item["told"]) if item else 0


def relay_of(service: Service, *subscribers: RecordingSubscriber) -> OutboxRelay:
    return OutboxRelay(
        table=service.main_table,
        outbox=service.services.state.outbox,
        types=EVENT_TYPES,
        subscribers=subscribers,
        queues=service.work_parts("relay").queue,
        region="eu",
        clock=service.clock,
    )


def message_of(event: Row) -> PublishEvent:
    return PublishEvent(event["PK"], event["SK"])
