"""Hand a fact to everybody who listens, each exactly once as the table shows it."""

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

type Observer = Callable[[EventDelivery, dt.datetime], None]


class OutboxRelay:
    """Tells facts; a fact that comes again is told to nobody."""

    def __init__(
        self,
        *,
        tables: Tables,
        outbox: EventOutbox,
        subscribers: Sequence[Subscriber],
        clock: Clock,
        observers: Sequence[Observer] = (),
    ) -> None:
        """Build from the facts and who listens to them; observers learn what was told and when."""
        self._tables = tables
        self._outbox = outbox
        self._subscribers = subscribers
        self._clock = clock
        self._observers = observers

    def read_ahead(self, messages: Iterable[PublishEvent]) -> None:
        """Read what a batch will ask for, if AWS has room; else each fact is read by itself."""
        keys = [(message.subject, message.sort_key) for message in messages]
        with tolerate_transient("events not read ahead"):
            self._outbox.read_ahead(keys)

    def __call__(self, message: PublishEvent) -> None:
        """Tell one fact; raises Poison where there is none."""
        item, row = self._outbox.event_and_subject(message.subject, message.sort_key)
        if item is None or row is None:
            reason = f"there is no event {message.sort_key} of {message.subject}"
            raise PoisonMessage(reason)
        fact = event_of(item)
        bind(request_id=fact.request_id, workspace=fact.workspace_id, **_log_ids(row))
        crash_if_armed(CrashPoint.RELAY_BEGUN)
        if "published_at" in item:
            return
        heard = EventDelivery(fact, row, message.settled)
        once = [write for listener in self._subscribers for write in listener(heard)]
        now = self._clock.now()
        try:
            self._tables.transact([self._outbox.publication(fact, format_rfc3339(now)), *once])
        except ConditionFailed as lost:
            # Somebody else told it meanwhile; a listener's own condition must not fail.
            if lost.index != 0:
                raise
            return
        crash_if_armed(CrashPoint.RELAY_PUBLISHED)
        log.info("event published", extra={"event_id": fact.id, "type": fact.type})
        for observe in self._observers:
            observe(heard, now)


def _log_ids(row: Item) -> dict[str, str]:
    """Return the id of a subject by what it is, where it is a render."""
    return {"render": row["id"]} if row["id"].startswith("rnd_") else {}
