"""What becomes of what a dead message stands for, queue by queue."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, Final

from chalicelib.adapters.json_logs import about
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.features.due.message import LookAt
from chalicelib.features.due.repository import DueIndex
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.protocol import QueuedRender
from chalicelib.features.renders.repository import Renders

# What failed at every delivery is tried again, but does not fill the queue.
_TRIED_AFTER: Final = dt.timedelta(hours=1)


class EndQueuedRender:
    """Of a queued render: it ends as lost, unless it has ended or a function has it."""

    def __init__(self, *, renders: Renders, end: EndRender, clock: Clock) -> None:
        """End with this."""
        self._renders = renders
        self._end = end
        self._clock = clock

    def __call__(self, message: Mapping[str, Any]) -> str:
        """End the render and say how it stands."""
        order = QueuedRender.from_json(message)
        about(render=order.render_id, workspace=order.workspace_id)
        now = rfc3339(self._clock.now())
        seen = self._renders.look(order.workspace_id, order.render_id, now)
        if seen is None:
            return "there is no such render"
        if seen.render.is_final:
            return f"the render had ended as {seen.render.status}"
        if not seen.free:
            return "the render goes on: another message of it has reached a function"
        ended = self._end.lost(seen.render)
        return f"the render ended as {ended.status}: {(ended.error or {}).get('code')}"


class PutOff:
    """Of a fact or another due item: it stays due, later."""

    def __init__(
        self, *, index: DueIndex, read: Callable[[Mapping[str, Any]], LookAt], clock: Clock
    ) -> None:
        """`read` tells which item a message is about."""
        self._index = index
        self._read = read
        self._clock = clock

    def __call__(self, message: Mapping[str, Any]) -> str:
        """Put the item off and say until when."""
        item = self._read(message)
        until = rfc3339(self._clock.now() + _TRIED_AFTER)
        due = self._index.put_off(item.pk, item.sk, until)
        return f"tried again at {until}" if due else "nothing is due of it any more"
