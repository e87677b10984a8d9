"""Run a sync render while its caller waits, again when its function dies, else leave it queued."""

from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.functions import (
    Function,
    FunctionBusy,
    FunctionDied,
    FunctionLate,
)
from chalicelib.core.clock import Clock
from chalicelib.core.errors import ServiceError
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.enqueue import EnqueueRender
from chalicelib.features.renders.model import MAX_ATTEMPTS, Body, Render
from chalicelib.features.renders.protocol import RunAnswer, RunRender
from chalicelib.features.renders.repository import Renders, render_of

# Kept back for what comes after the function's answer.
_WAY_BACK_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class Waiting:
    """A caller that waits: until when (Unix seconds), and whether a late render is canceled."""

    deadline: float
    cancel_late: bool
    request_id: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A render as it stands when the caller is answered; `content` where it travelled along."""

    render: Render
    content: bytes | None = None


class RunNow:
    """Waits for a sync render until the caller's deadline."""

    def __init__(
        self,
        *,
        renders: Renders,
        function: Function,
        enqueue: EnqueueRender,
        end: EndRender,
        clock: Clock,
    ) -> None:
        """Build from the render function and what stands in for it."""
        self._renders = renders
        self._function = function
        self._enqueue = enqueue
        self._end = end
        self._clock = clock

    def __call__(self, render: Render, body: Body, waiting: Waiting) -> Ran:
        """Run the render and return it as it stands at the caller's deadline, at the latest.

        With `cancel_late` a render that is not final by then is canceled with `render_timeout`,
        and one that found no room is refused with `region_degraded`; else it goes on in the
        background.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            left_s = waiting.deadline - self._clock.now().timestamp() - _WAY_BACK_S
            if left_s <= 0:
                return self._late(render, body, waiting)
            event = _event(render, body, waiting, attempt).to_json()
            try:
                answer = RunAnswer.from_json(self._function.invoke(event, wait_s=left_s))
            except FunctionDied:
                continue
            except FunctionBusy:
                return self._no_room(render, body, waiting)
            except FunctionLate:
                return self._late(render, body, waiting)
            assert answer.row is not None, render.id
            return Ran(render_of(answer.row), answer.content)
        return Ran(self._end.lost(self._present(render)))

    def _late(self, render: Render, body: Body, waiting: Waiting) -> Ran:
        if waiting.cancel_late:
            return Ran(self._end.timed_out(render))
        present = self._present(render)
        if present.status == "queued":
            self._enqueue.later(present, body, waiting.request_id)
        return Ran(present)

    def _no_room(self, render: Render, body: Body, waiting: Waiting) -> Ran:
        if not waiting.cancel_late:
            return self._late(render, body, waiting)
        self._end.timed_out(render)
        raise ServiceError(
            "region_degraded",
            "There was no room for this render in time; nothing is billed. Try again, or send "
            "mode async.",
            headers={"Retry-After": "5"},
            render_id=render.id,
        )

    def _present(self, render: Render) -> Render:
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present


def _event(render: Render, body: Body, waiting: Waiting, attempt: int) -> RunRender:
    return RunRender(
        render.workspace_id,
        render.id,
        attempt,
        body,
        deadline=waiting.deadline - _WAY_BACK_S,
        return_body=render.delivery == "binary",
        request_id=waiting.request_id,
    )
