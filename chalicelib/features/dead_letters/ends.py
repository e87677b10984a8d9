"""What becomes of what a dead message stands for, queue by queue."""

from collections.abc import Mapping
from typing import Any

from chalicelib.adapters.json_logs import about
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.features.due.message import LookAt
from chalicelib.features.facts.message import TellFact
from chalicelib.features.facts.repository import Facts
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.protocol import QueuedRender
from chalicelib.features.renders.repository import Renders


class EndQueuedRender:
    """Of a queued render: it ends as lost, unless it has ended."""

    def __init__(self, *, renders: Renders, end: EndRender) -> None:
        """End with this."""
        self._renders = renders
        self._end = end

    def __call__(self, message: Mapping[str, Any]) -> str:
        """End the render and say how it stands."""
        order = QueuedRender.from_json(message)
        about(render=order.render_id, workspace=order.workspace_id)
        render = self._renders.get(order.workspace_id, order.render_id)
        if render is None:
            return "there is no such render"
        if render.is_final:
            return f"the render had ended as {render.status}"
        ended = self._end.lost(render)
        return f"the render ended as {ended.status}: {(ended.error or {}).get('code')}"


class GiveUpFact:
    """Of a fact: it is told to nobody until it is sent again by hand."""

    def __init__(self, *, facts: Facts, clock: Clock) -> None:
        """Give up facts of these."""
        self._facts = facts
        self._clock = clock

    def __call__(self, message: Mapping[str, Any]) -> str:
        """Give the fact up."""
        told = TellFact.from_json(message)
        self._facts.give_up(told.subject, told.sort_key, rfc3339(self._clock.now()))
        return "the fact is not told; redrive it when the cause is mended"


def leave_due(message: Mapping[str, Any]) -> str:
    """Of a due item: it stays due, so that the tick tries again."""
    item = LookAt.from_json(message)
    return f"{item.pk} {item.sk} stays due"
