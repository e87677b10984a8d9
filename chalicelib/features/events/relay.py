"""Outbox relay: delivers events to their subscribers, exactly once as seen in the table."""

import datetime as dt
import logging
from collections.abc import Callable, Iterable, Sequence

from chalicelib.adapters.aws.messages import PoisonMessage
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.events.model import EventDelivery, PublishEvent, Subscriber
from chalicelib.features.events.repository import EventOutbox, event_of

log = logging.getLogger(__name__)

type Effect = Callable[[EventDelivery], None]
type Observer = Callable[[EventDelivery, dt.datetime], None]


class OutboxRelay:
    """Publisher of events; an event that was published already is skipped (decision 9)."""

    def __init__(
        self,
        *,
        tables: Tables,
        outbox: EventOutbox,
        subscribers: Sequence[Subscriber],
        clock: Clock,
        effects: Sequence[Effect] = (),
        observers: Sequence[Observer] = (),
    ) -> None:
        """Build from the outbox and the subscribers.

        After each publication the observers run once at most, and the effects at least once: again
        for a repeated message, as the first may have ended with its function.
        """
        self._tables = tables
        self._outbox = outbox
        self._subscribers = subscribers
        self._clock = clock
        self._effects = effects
        self._observers = observers

    def read_ahead(self, messages: Iterable[PublishEvent]) -> None:
        """Read the events of a batch in one call; after a transient error each is read alone."""
        keys = [(message.subject, message.sort_key) for message in messages]
        with tolerate_transient("events not read ahead"):
            self._outbox.read_ahead(keys)

    def __call__(self, message: PublishEvent) -> None:
        """Publish one event; raise PoisonMessage if there is none."""
        event_row, subject_row = self._outbox.event_and_subject(message.subject, message.sort_key)
        if event_row is None or subject_row is None:
            reason = f"there is no event {message.sort_key} of {message.subject}"
            raise PoisonMessage(reason)
        event = event_of(event_row)
        bind(request_id=event.request_id, workspace=event.workspace_id, **_log_ids(subject_row))
        crash_if_armed(CrashPoint.RELAY_BEGUN)
        delivery = EventDelivery(event, subject_row, message.settled)
        if "published_at" in event_row or self._publish(delivery):
            for effect in self._effects:
                effect(delivery)

    def _publish(self, delivery: EventDelivery) -> bool:
        """Publish an event; return False if another relay has published it meanwhile."""
        event = delivery.event
        writes = [write for handle in self._subscribers for write in handle(delivery)]
        now = self._clock.now()
        try:
            self._tables.transact([self._outbox.publication(event, format_rfc3339(now)), *writes])
        except ConditionFailed as conflict:
            # Index 0: another relay has published it. A subscriber's own condition must not fail.
            if conflict.index != 0:
                raise
            return False
        crash_if_armed(CrashPoint.RELAY_PUBLISHED)
        log.info("event published", extra={"event_id": event.id, "type": event.type})
        for observe in self._observers:
            observe(delivery, now)
        return True


def _log_ids(row: Item) -> dict[str, str]:
    """Return the subject's id for the log, if the subject is a render."""
    return {"render": row["id"]} if row["id"].startswith("rnd_") else {}
