"""Hand what is due to the queue that does it: facts to the relay, all else to the upkeep."""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from itertools import batched
from typing import Any, Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.json_logs import scope
from chalicelib.adapters.metrics import Metrics, Values
from chalicelib.core.clock import Clock, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.due.message import LookAt
from chalicelib.features.due.repository import DueIndex, DueItem

log = logging.getLogger(__name__)

# What is not done by then, because its message was lost, is handed out again.
_AGAIN_AFTER: Final = dt.timedelta(minutes=5)
_BATCH: Final = 10
# The next tick goes on where this one stops, before its function runs out of time.
_WORKS_FOR: Final = dt.timedelta(seconds=40)


class Tick:
    """Hands out due items; two at once, or one that dies, hand out nothing twice for long."""

    def __init__(
        self,
        *,
        index: DueIndex,
        events: Queue,
        upkeep: Queue,
        tell: Callable[[LookAt], Mapping[str, Any]],
        metrics: Metrics,
        clock: Clock,
    ) -> None:
        """Take the index and the queues; `tell` makes a fact's message of its key."""
        self._index = index
        self._events = events
        self._upkeep = upkeep
        self._tell = tell
        self._metrics = metrics
        self._clock = clock

    def __call__(self) -> int:
        """Hand out everything that is due now; return how many items that were."""
        here(CrashPoint.TICK_BEGUN)
        begun = self._clock.now()
        handed, latest = 0, begun
        for items in batched(self._index.until(rfc3339(begun)), _BATCH, strict=False):
            now = self._clock.now()
            if now > begun + _WORKS_FOR:
                log.warning("more is due than one tick hands out", extra={"handed": handed})
                break
            mine = [look for item in items if (look := self._claim(item, now)) is not None]
            here(CrashPoint.TICK_CLAIMED)
            facts = [look for look in mine if look.sk.startswith("FACT#")]
            self._events.send_all([(self._tell(look), _group(look)) for look in facts])
            others = [look for look in mine if look not in facts]
            self._upkeep.send_all([(look.to_json(), _group(look)) for look in others])
            handed += len(mine)
            latest = min(latest, *(parse_rfc3339(item.due_at) for item in items))
        here(CrashPoint.TICK_SENT)
        lateness_ms = (begun - latest) / dt.timedelta(milliseconds=1)
        self._metrics.write(
            Values("Count", {"DueHandedOut": handed}),
            Values("Milliseconds", {"DueLateness": lateness_ms}),
        )
        log.info("tick", extra={"handed": handed})
        return handed

    def _claim(self, item: DueItem, now: dt.datetime) -> LookAt | None:
        row = self._index.postpone(item, rfc3339(now + _AGAIN_AFTER))
        if row is None:
            return None
        with scope(request_id=row.get("request_id"), **_named(item)):
            log.info("handed out", extra={"sort_key": item.sk, "due_at": item.due_at})
        return LookAt(item.pk, item.sk, row.get("request_id"))


def _named(item: DueItem) -> dict[str, str | None]:
    """Return the ids that the key of an item is made of: `WS#<id>#RND#<id>`."""
    parts = item.pk.split("#")
    kinds = dict(zip(parts[::2], parts[1::2], strict=False))
    return {"workspace": kinds.get("WS"), "render": kinds.get("RND")}


def _group(item: LookAt) -> str:
    """Return the workspace that an item belongs to, else its own key."""
    parts = item.pk.split("#")
    return parts[1] if parts[0] == "WS" else item.pk
