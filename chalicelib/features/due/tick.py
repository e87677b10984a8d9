"""Hand what is due to the queue that does it: facts to the relay, all else to the upkeep."""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from itertools import batched
from typing import Any, Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.clock import Clock, rfc3339
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
        tell: Callable[[str, str], Mapping[str, Any]],
        clock: Clock,
    ) -> None:
        """Take the index and the queues; `tell` makes a fact's message of its key."""
        self._index = index
        self._events = events
        self._upkeep = upkeep
        self._tell = tell
        self._clock = clock

    def __call__(self) -> int:
        """Hand out everything that is due now; return how many items that were."""
        here(CrashPoint.TICK_BEGUN)
        begun = self._clock.now()
        handed = 0
        for items in batched(self._index.until(rfc3339(begun)), _BATCH, strict=False):
            now = self._clock.now()
            if now > begun + _WORKS_FOR:
                log.warning("more is due than one tick hands out", extra={"handed": handed})
                break
            mine = [item for item in items if self._index.postpone(item, _later(now))]
            here(CrashPoint.TICK_CLAIMED)
            facts = [item for item in mine if item.sk.startswith("FACT#")]
            self._events.send_all([(self._tell(i.pk, i.sk), _group(i)) for i in facts])
            others = (item for item in mine if item not in facts)
            self._upkeep.send_all([(LookAt(i.pk, i.sk).to_json(), _group(i)) for i in others])
            handed += len(mine)
        here(CrashPoint.TICK_SENT)
        log.info("tick", extra={"handed": handed})
        return handed


def _later(now: dt.datetime) -> str:
    return rfc3339(now + _AGAIN_AFTER)


def _group(item: DueItem) -> str:
    """Return the workspace that an item belongs to, else its own key."""
    parts = item.pk.split("#")
    return parts[1] if parts[0] == "WS" else item.pk
