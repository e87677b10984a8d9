"""Resolutions of dead messages, one for each kind of queue."""

import datetime as dt
from collections.abc import Callable
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.json import JsonObject
from chalicelib.features.maintenance.repository import DueIndex
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.protocol import QueuedRender

# An operator repairs the cause; until then an hourly try does not fill the queue (decision 11).
_POSTPONED_BY: Final = dt.timedelta(hours=1)


class ResolveQueuedRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolution of a queued render: it ends as lost, unless it is final or is claimed."""

    renders: Renders
    end: EndRender
    clock: Clock

    def __call__(self, message: JsonObject) -> str:
        """End the render if it is unclaimed, and return the outcome as text."""
        queued = QueuedRender.from_json(message)
        bind(render=queued.render_id, workspace=queued.workspace_id)
        now = format_rfc3339(self.clock.now())
        claimed = self.renders.get_with_claim(queued.workspace_id, queued.render_id, now)
        if claimed is None:
            return "there is no such render"
        if claimed.render.is_final:
            return f"the render had ended as {claimed.render.status}"
        if not claimed.is_free:
            return "the render goes on: another message of it has reached a function"
        ended = self.end.fail_lost(claimed.render)
        return f"the render ended as {ended.status}: {(ended.error or {}).get('code')}"


class PostponeDueItem(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolution of an event or another due item: it stays due, one hour later.

    `read_item` returns the due item that a message names.
    """

    index: DueIndex
    read_item: Callable[[JsonObject], DueItem]
    clock: Clock

    def __call__(self, message: JsonObject) -> str:
        """Postpone the item and return the outcome as text."""
        item = self.read_item(message)
        until = format_rfc3339(self.clock.now() + _POSTPONED_BY)
        due = self.index.postpone(item.pk, item.sk, until)
        return f"tried again at {until}" if due else "nothing is due of it any more"
