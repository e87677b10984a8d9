"""What becomes of what a dead message stands for, queue by queue."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, Final

from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.features.maintenance.due_items import DueIndex, DueItem
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.protocol import QueuedRender

# What failed at every delivery is tried again, but does not fill the queue.
_POSTPONED_BY: Final = dt.timedelta(hours=1)


class ResolveQueuedRender:
    """Of a queued render: it ends as lost, unless it has ended or a function has it."""

    def __init__(self, *, renders: Renders, end: EndRender, clock: Clock) -> None:
        """End with this."""
        self._renders = renders
        self._end = end
        self._clock = clock

    def __call__(self, message: Mapping[str, Any]) -> str:
        """End the render and say how it stands."""
        order = QueuedRender.from_json(message)
        bind(render=order.render_id, workspace=order.workspace_id)
        now = format_rfc3339(self._clock.now())
        seen = self._renders.get_with_claim(order.workspace_id, order.render_id, now)
        if seen is None:
            return "there is no such render"
        if seen.render.is_final:
            return f"the render had ended as {seen.render.status}"
        if not seen.is_free:
            return "the render goes on: another message of it has reached a function"
        ended = self._end.fail_lost(seen.render)
        return f"the render ended as {ended.status}: {(ended.error or {}).get('code')}"


class PostponeDueItem:
    """Of a fact or another due item: it stays due, later."""

    def __init__(
        self, *, index: DueIndex, read_item: Callable[[Mapping[str, Any]], DueItem], clock: Clock
    ) -> None:
        """`read` tells which item a message is about."""
        self._index = index
        self._read_item = read_item
        self._clock = clock

    def __call__(self, message: Mapping[str, Any]) -> str:
        """Put the item off and say until when."""
        item = self._read_item(message)
        until = format_rfc3339(self._clock.now() + _POSTPONED_BY)
        due = self._index.postpone(item.pk, item.sk, until)
        return f"tried again at {until}" if due else "nothing is due of it any more"
