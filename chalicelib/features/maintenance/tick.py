"""Tick: sends due items to the queues of their kinds."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from itertools import batched
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.adapters.aws.queues import Queue, QueueMessage
from chalicelib.adapters.json_logs import log_context
from chalicelib.adapters.metrics import Metrics, MetricValues
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.features.maintenance.repository import DueIndex, DueIndexEntry

log = logging.getLogger(__name__)

# An item that is not done by then, because its message was lost, is sent again.
_RETRY_AFTER: Final = dt.timedelta(minutes=5)
_BATCH: Final = 10
# Claims of one kind at once: its share, however many items of other kinds wait.
_CLAIMS_AT_ONCE: Final = 4
# Until the next tick has begun; its function may take longer.
_TIME_LIMIT: Final = dt.timedelta(seconds=62)


class DueRoute(NamedTuple):
    """Way of the due items of one kind: their queue, and the message of an item."""

    kind: DueKind
    queue: Queue
    message: Callable[[DueItem], JsonObject]


class SentItems(NamedTuple):
    """Number of items that were sent, when the oldest was due, and the first error of a claim."""

    total: int = 0
    oldest_due: dt.datetime | None = None
    error: BaseException | None = None

    def plus(self, more: "SentItems") -> "SentItems":
        """Return the sum with items that were due later."""
        return SentItems(
            self.total + more.total, self.oldest_due or more.oldest_due, self.error or more.error
        )


class Tick(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Sender of due items: kinds side by side, the oldest first within each.

    Each item is claimed first, so parallel ticks do not send it twice. After a crash it is due
    again within minutes. A tick goes on while there is more, until the next one has begun.

    Each kind has one route.
    """

    index: DueIndex
    routes: Sequence[DueRoute]
    metrics: Metrics
    clock: Clock

    def __call__(self) -> int:
        """Send everything that is due; return the number of items.

        Raise the first error of a kind after the others have been served.
        """
        crash_if_armed(CrashPoint.TICK_BEGUN)
        started_at = self.clock.now()
        with ThreadPoolExecutor(len(self.routes)) as threads:
            sending = [
                threads.submit(copy_context().run, self._send_kind, route, started_at)
                for route in self.routes
            ]
        sent = [result.result() for result in sending if result.exception() is None]
        crash_if_armed(CrashPoint.TICK_SENT)
        count = sum(kind.total for kind in sent)
        oldest = min((kind.oldest_due for kind in sent if kind.oldest_due), default=started_at)
        self.metrics.write(
            MetricValues("Count", {"DueHandedOut": count}),
            MetricValues(
                "Milliseconds",
                {"DueLateness": (started_at - oldest) / dt.timedelta(milliseconds=1)},
            ),
        )
        log.info("tick", extra={"handed": count})
        for result in sending:
            if (error := result.result().error) is not None:
                raise error
        return count

    def _send_kind(self, route: DueRoute, started_at: dt.datetime) -> SentItems:
        """Send the due items of one kind, and those that become due meanwhile."""
        sent = SentItems()
        with ThreadPoolExecutor(_CLAIMS_AT_ONCE) as claimers:
            while True:
                before = sent.total
                due = self.index.entries_due(route.kind, format_rfc3339(self.clock.now()))
                for entries in batched(due, _BATCH, strict=False):
                    if self.clock.now() > started_at + _TIME_LIMIT:
                        log.warning(
                            "more is due than one tick hands out", extra={"kind": route.kind.name}
                        )
                        return sent
                    sent = sent.plus(self._send(route, entries, claimers))
                if sent.total == before:
                    return sent

    def _send(
        self, route: DueRoute, entries: Sequence[DueIndexEntry], claimers: Executor
    ) -> SentItems:
        crash_if_armed(CrashPoint.TICK_FOUND)
        until = format_rfc3339(self.clock.now() + _RETRY_AFTER)
        claims = [
            claimers.submit(copy_context().run, self._claim, route.kind, entry, until)
            for entry in entries
        ]
        errors = [error for claim in claims if (error := claim.exception()) is not None]
        # An item that cannot be claimed now must not hold up those that were.
        items = [
            item
            for claim in claims
            if claim.exception() is None and (item := claim.result()) is not None
        ]
        crash_if_armed(CrashPoint.TICK_CLAIMED)
        route.queue.send_all([QueueMessage(route.message(item), item.group) for item in items])
        crash_if_armed(CrashPoint.TICK_BATCH_SENT)
        oldest = parse_rfc3339(entries[0].due_at)
        return SentItems(len(items), oldest, next(iter(errors), None))

    def _claim(self, kind: DueKind, entry: DueIndexEntry, until: str) -> DueItem | None:
        row = self.index.claim(entry, until)
        if row is None:
            return None
        item = DueItem(kind.name, entry.pk, entry.sk, row.get("request_id"))
        ids = item.ids()
        with log_context(
            request_id=item.request_id, workspace=ids.get("WS"), render=ids.get("RND")
        ):
            log.info("handed out", extra={"sort_key": entry.sk, "due_at": entry.due_at})
        return item
