"""Outbox relay: delivers events to their subscribers, exactly once as seen in the table."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import batched, groupby
from typing import Any, Final

from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.adapters.aws.queues import Queue, QueueMessage
from chalicelib.adapters.aws.table import (
    TRANSACTION_LIMIT,
    ConditionFailed,
    Row,
    Table,
)
from chalicelib.adapters.json_logs import log_context
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.message_version import UnknownVersion
from chalicelib.features.events.model import (
    EventDelivery,
    EventType,
    PublishEvent,
    Subscriber,
)
from chalicelib.features.events.repository import EventOutbox, event_of

log = logging.getLogger(__name__)

# Events of one workspace in one transaction; their subscribers' writes come beside them.
_GROUP: Final = 25

type Observer = Callable[[EventDelivery, dt.datetime], None]
type AnySubscriber = Subscriber[Any]
# Plans by event id, as each subscriber has returned them.
type Plans = Mapping[AnySubscriber, Mapping[str, object]]
type Failures = dict[PublishEvent, Exception]


class OutboxRelay:
    """Publisher of events; an event that was published already is skipped (decision 9).

    Safe for use from all threads.
    """

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        table: Table,
        outbox: EventOutbox,
        types: Sequence[EventType],
        subscribers: Sequence[AnySubscriber],
        queues: Callable[[str], Queue],
        region: str,
        clock: Clock,
        observers: Sequence[Observer] = (),
    ) -> None:
        """Store the parts; `queues` returns the queue of an outgoing message.

        The observers see each publication once at most.
        """
        self._table = table
        self._outbox = outbox
        self._types = {event_type.name: event_type for event_type in types}
        self._subscribers = subscribers
        self._queues = queues
        self._region = region
        self._clock = clock
        self._observers = observers

    def publish(self, messages: Sequence[PublishEvent]) -> Failures:
        """Publish up to 30 events, those of one workspace together; return the failures.

        A message without an event fails with PoisonMessageError, an event of an unknown type with
        UnknownVersion. Where several fail together, each is
        tried alone, so that none holds up the others.
        """
        failures: Failures = {}
        try:
            rows = self._outbox.read(
                [(message.subject, message.sort_key) for message in messages],
                {
                    key
                    for message in messages
                    for subscriber in self._subscribers
                    for key in subscriber.companions(message.workspace_id)
                },
            )
        except Exception as error:  # noqa: BLE001 -- it is returned
            return self._publish_alone(messages, error)
        deliveries: dict[PublishEvent, EventDelivery] = {}
        for message in messages:
            try:
                deliveries[message] = self._delivery(message, rows)
            except Exception as error:  # noqa: BLE001 -- it is returned
                failures[message] = error
        for group in _groups_by_workspace(deliveries):
            try:
                self._publish_group([deliveries[message] for message in group], rows)
            except Exception as error:  # noqa: BLE001 -- it is returned
                failures |= self._publish_alone(group, error)
        return failures

    def _publish_alone(self, messages: Sequence[PublishEvent], error: Exception) -> Failures:
        if len(messages) == 1:
            return {messages[0]: error}
        log.warning("events not published together", exc_info=error)
        return {
            message: failure
            for each in messages
            for message, failure in self.publish([each]).items()
        }

    def _delivery(
        self, message: PublishEvent, rows: Mapping[tuple[str, str], Row]
    ) -> EventDelivery:
        event_row = rows.get((message.subject, message.sort_key))
        subject_row = rows.get((message.subject, "META"))
        if event_row is None or subject_row is None:
            reason = f"there is no event {message.sort_key} of {message.subject}"
            raise PoisonMessageError(reason)
        event = event_of(event_row)
        if event.type not in self._types:
            reason = f"there is no event type {event.type}"
            raise UnknownVersion(reason)
        return EventDelivery(
            event=event,
            type=self._types[event.type],
            subject_row=subject_row,
            settled=message.settled,
            limits_due=message.limits_due,
            region=self._region,
            companions=rows,
        )

    def _publish_group(
        self, messages: Sequence[EventDelivery], rows: Mapping[tuple[str, str], Row]
    ) -> None:
        """Publish events of one workspace; those that are published already are followed up."""
        deliveries = _merge_repeated(messages)
        workspace_id = deliveries[0].event.workspace_id
        with log_context(workspace=workspace_id, **_ids_of_one(deliveries)):
            crash_for_each(CrashPoint.RELAY_BEGUN, deliveries)
            unpublished = [
                delivery
                for delivery in deliveries
                if "published_at" not in rows[delivery.event.subject, delivery.event.sort_key]
            ]
            plans = {
                subscriber: subscriber.prepare(subscribed)
                for subscriber, subscribed in self._by_subscriber(unpublished)
            }
            crash_for_each(CrashPoint.RELAY_PREPARED, unpublished)
            if unpublished:
                self._commit(unpublished, plans)
            self._follow_up(deliveries, plans)

    def _by_subscriber(
        self, deliveries: Sequence[EventDelivery]
    ) -> Iterator[tuple[AnySubscriber, Sequence[EventDelivery]]]:
        for subscriber in self._subscribers:
            subscribed = [
                delivery for delivery in deliveries if delivery.event.type in subscriber.types
            ]
            if subscribed:
                yield subscriber, subscribed

    def _commit(self, deliveries: Sequence[EventDelivery], plans: Plans) -> None:
        """Mark events published together with their subscribers' writes."""
        writes = [
            write
            for subscriber, subscribed in self._by_subscriber(deliveries)
            for write in subscriber.writes(subscribed, plans[subscriber])
        ]
        if len(deliveries) + len(writes) > TRANSACTION_LIMIT:
            assert len(deliveries) > 1, f"{deliveries[0].event.type} has {len(writes)} writes"
            middle = len(deliveries) // 2
            self._commit(deliveries[:middle], plans)
            self._commit(deliveries[middle:], plans)
            return
        now = self._clock.now()
        at = format_rfc3339(now)
        publications = [self._outbox.publication(delivery.event, at) for delivery in deliveries]
        try:
            self._table.transact([*publications, *writes])
        except ConditionFailed as conflict:
            # A subscriber's own condition must not fail.
            if conflict.index >= len(deliveries):
                raise
            # Another relay has published this one.
            others = [each for n, each in enumerate(deliveries) if n != conflict.index]
            if others:
                self._commit(others, plans)
            return
        crash_for_each(CrashPoint.RELAY_PUBLISHED, deliveries)
        for delivery in deliveries:
            self._observe(delivery, now)

    def _observe(self, delivery: EventDelivery, now: dt.datetime) -> None:
        event = delivery.event
        with log_context(request_id=event.request_id, **_log_ids(delivery.subject_row)):
            log.info("event published", extra={"event_id": event.id, "type": event.type})
            for observe in self._observers:
                observe(delivery, now)

    def _follow_up(self, deliveries: Sequence[EventDelivery], plans: Plans) -> None:
        messages: dict[str, list[QueueMessage]] = {}
        for subscriber, subscribed in self._by_subscriber(deliveries):
            for queue, message in subscriber.follow_up(subscribed, plans.get(subscriber, {})):
                messages.setdefault(queue, []).append(message)
        for queue, group in messages.items():
            self._queues(queue).send_all(group)
        crash_for_each(CrashPoint.RELAY_FOLLOWED_UP, deliveries)


def crash_for_each(point: CrashPoint, deliveries: Sequence[EventDelivery]) -> None:
    """Reach a crash point once for each delivery, with the request of its event."""
    for delivery in deliveries:
        with log_context(request_id=delivery.event.request_id):
            crash_if_armed(point)


def _merge_repeated(deliveries: Sequence[EventDelivery]) -> list[EventDelivery]:
    """Return one delivery for each event, which joins all its messages."""
    merged: dict[str, EventDelivery] = {}
    for each in deliveries:
        first = merged.setdefault(each.event.id, each)
        merged[each.event.id] = replace(
            first,
            settled=first.settled and each.settled,
            limits_due=first.limits_due or each.limits_due,
        )
    return list(merged.values())


def _groups_by_workspace(
    deliveries: Mapping[PublishEvent, EventDelivery],
) -> Iterator[Sequence[PublishEvent]]:
    def workspace_of(message: PublishEvent) -> str:
        return deliveries[message].event.workspace_id

    for _, group in groupby(sorted(deliveries, key=workspace_of), workspace_of):
        yield from batched(group, _GROUP, strict=False)


def _ids_of_one(deliveries: Sequence[EventDelivery]) -> dict[str, str]:
    """Return the log fields of a single delivery; several share only their workspace."""
    if len(deliveries) > 1:
        return {}
    (delivery,) = deliveries
    return {"request_id": delivery.event.request_id, **_log_ids(delivery.subject_row)}


def _log_ids(row: Row) -> dict[str, str]:
    """Return the subject's id for the log, if the subject is a render."""
    return {"render": row["id"]} if row["id"].startswith("rnd_") else {}
