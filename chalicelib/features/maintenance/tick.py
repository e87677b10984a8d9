"""Tick: sends due items to their queues, events to the relay and all others to maintenance."""

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

# An item that is not done by then, because its message was lost, is sent again.
_RETRY_AFTER: Final = dt.timedelta(minutes=5)
_BATCH: Final = 10
# This tick stops before its function times out; the next one continues.
_TIME_LIMIT: Final = dt.timedelta(seconds=40)


class Tick:
    """Sender of due items.

    Each item is claimed first, so parallel ticks do not send it twice. After a crash it is due
    again within minutes.
    """

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
        """Store the parts; `event_message` returns the relay's message for the key of an event."""
        self._index = index
        self._events = events
        self._maintenance = maintenance
        self._event_message = event_message
        self._metrics = metrics
        self._clock = clock

    def __call__(self) -> int:
        """Send everything that is due now; return the number of items."""
        crash_if_armed(CrashPoint.TICK_BEGUN)
        started_at = self._clock.now()
        sent, oldest_due = 0, started_at
        for entries in batched(
            self._index.entries_due(format_rfc3339(started_at)), _BATCH, strict=False
        ):
            now = self._clock.now()
            if now > started_at + _TIME_LIMIT:
                log.warning("more is due than one tick hands out", extra={"handed": sent})
                break
            claimed = [item for entry in entries if (item := self._claim(entry, now)) is not None]
            crash_if_armed(CrashPoint.TICK_CLAIMED)
            events = [item for item in claimed if item.sk.startswith("EVENT#")]
            self._events.send_all(
                [(self._event_message(item), _message_group(item)) for item in events]
            )
            others = [item for item in claimed if item not in events]
            self._maintenance.send_all([(item.to_json(), _message_group(item)) for item in others])
            sent += len(claimed)
            oldest_due = min(oldest_due, *(parse_rfc3339(entry.due_at) for entry in entries))
        crash_if_armed(CrashPoint.TICK_SENT)
        lateness_ms = (started_at - oldest_due) / dt.timedelta(milliseconds=1)
        self._metrics.write(
            MetricValues("Count", {"DueHandedOut": sent}),
            MetricValues("Milliseconds", {"DueLateness": lateness_ms}),
        )
        log.info("tick", extra={"handed": sent})
        return sent

    def _claim(self, entry: DueIndexEntry, now: dt.datetime) -> DueItem | None:
        row = self._index.claim(entry, format_rfc3339(now + _RETRY_AFTER))
        if row is None:
            return None
        with log_context(request_id=row.get("request_id"), **_log_ids(entry)):
            log.info("handed out", extra={"sort_key": entry.sk, "due_at": entry.due_at})
        return DueItem(entry.pk, entry.sk, row.get("request_id"))


def _log_ids(entry: DueIndexEntry) -> dict[str, str | None]:
    """Return the log fields in the key of an item: `WS#<id>#RND#<id>`."""
    parts = entry.pk.split("#")
    kinds = dict(zip(parts[::2], parts[1::2], strict=False))
    return {"workspace": kinds.get("WS"), "render": kinds.get("RND")}


def _message_group(item: DueItem) -> str:
    """Return the workspace of an item, or the key of an item without one.

    The queues are fair by group: one workspace does not hold up the others.
    """
    parts = item.pk.split("#")
    return parts[1] if parts[0] == "WS" else item.pk
