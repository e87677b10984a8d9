"""Hand what is due to the queue that does it: facts to the relay, all else to the upkeep."""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from itertools import batched
from typing import Any, Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.json_logs import log_context
from chalicelib.adapters.metrics import Metrics, MetricValues
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.maintenance.due_items import DueIndex, DueIndexEntry, DueItem

log = logging.getLogger(__name__)

# What is not done by then, because its message was lost, is handed out again.
_RETRY_AFTER: Final = dt.timedelta(minutes=5)
_BATCH: Final = 10
# The next tick goes on where this one stops, before its function runs out of time.
_TIME_LIMIT: Final = dt.timedelta(seconds=40)


class Tick:
    """Hands out due items; two at once, or one that dies, hand out nothing twice for long."""

    def __init__(
        self,
        *,
        index: DueIndex,
        events: Queue,
        maintenance: Queue,
        event_message: Callable[[DueItem], Mapping[str, Any]],
        metrics: Metrics,
        clock: Clock,
    ) -> None:
        """Take the index and the queues; `tell` makes a fact's message of its key."""
        self._index = index
        self._events = events
        self._maintenance = maintenance
        self._event_message = event_message
        self._metrics = metrics
        self._clock = clock

    def __call__(self) -> int:
        """Hand out everything that is due now; return how many items that were."""
        crash_if_armed(CrashPoint.TICK_BEGUN)
        begun = self._clock.now()
        handed, latest = 0, begun
        for items in batched(self._index.entries_due(format_rfc3339(begun)), _BATCH, strict=False):
            now = self._clock.now()
            if now > begun + _TIME_LIMIT:
                log.warning("more is due than one tick hands out", extra={"handed": handed})
                break
            mine = [look for item in items if (look := self._claim(item, now)) is not None]
            crash_if_armed(CrashPoint.TICK_CLAIMED)
            facts = [look for look in mine if look.sk.startswith("EVENT#")]
            self._events.send_all(
                [(self._event_message(look), _message_group(look)) for look in facts]
            )
            others = [look for look in mine if look not in facts]
            self._maintenance.send_all([(look.to_json(), _message_group(look)) for look in others])
            handed += len(mine)
            latest = min(latest, *(parse_rfc3339(item.due_at) for item in items))
        crash_if_armed(CrashPoint.TICK_SENT)
        lateness_ms = (begun - latest) / dt.timedelta(milliseconds=1)
        self._metrics.write(
            MetricValues("Count", {"DueHandedOut": handed}),
            MetricValues("Milliseconds", {"DueLateness": lateness_ms}),
        )
        log.info("tick", extra={"handed": handed})
        return handed

    def _claim(self, entry: DueIndexEntry, now: dt.datetime) -> DueItem | None:
        row = self._index.claim(entry, format_rfc3339(now + _RETRY_AFTER))
        if row is None:
            return None
        with log_context(request_id=row.get("request_id"), **_log_ids(entry)):
            log.info("handed out", extra={"sort_key": entry.sk, "due_at": entry.due_at})
        return DueItem(entry.pk, entry.sk, row.get("request_id"))


def _log_ids(entry: DueIndexEntry) -> dict[str, str | None]:
    """Return the ids that the key of an item is made of: `WS#<id>#RND#<id>`."""
    parts = entry.pk.split("#")
    kinds = dict(zip(parts[::2], parts[1::2], strict=False))
    return {"workspace": kinds.get("WS"), "render": kinds.get("RND")}


def _message_group(item: DueItem) -> str:
    """Return the workspace that an item belongs to, else its own key."""
    parts = item.pk.split("#")
    return parts[1] if parts[0] == "WS" else item.pk
