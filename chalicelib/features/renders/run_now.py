"""Run a sync render while its caller waits, again when its function dies, else leave it queued."""

import logging
import time
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.functions import Function, FunctionBusy, FunctionDied, FunctionLate
from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import ServiceError
from chalicelib.features.renders.end import NOBODY, EndRender
from chalicelib.features.renders.enqueue import EnqueueRender
from chalicelib.features.renders.idempotency import Accepted202, IdempotencyKey, IdempotencyRecords
from chalicelib.features.renders.model import MAX_ATTEMPTS, Body, Render
from chalicelib.features.renders.protocol import RunAnswer, RunRender
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import render_of, row_of

log = logging.getLogger(__name__)

# Kept back for what comes after the function's answer.
_WAY_BACK_S: Final = 0.3
_BUSY_PAUSE_S: Final = 0.15
# A refusal for want of room must come while it is still waited for.
_REFUSED_BEFORE_S: Final = 0.5
# A little after its caller has canceled it, nobody needs a document any more.
_OVER_AFTER_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Waiting:
    """A caller that waits: until when (Unix seconds), and whether a late render is canceled."""

    deadline: float
    cancel_late: bool
    idempotency: IdempotencyKey | None


@dataclass(frozen=True, slots=True)
class Ran:
    """A render as it stands when the caller is answered.

    `content` is its file in base64, where that travelled along.
    """

    render: Render
    content: str | None = None


class RunNow:
    """Waits for a sync render until the caller's deadline."""

    def __init__(
        self,
        *,
        renders: Renders,
        function: Function,
        enqueue: EnqueueRender,
        end: EndRender,
        idempotency: IdempotencyRecords,
        clock: Clock,
    ) -> None:
        """Build from the render function and what stands in for it."""
        self._renders = renders
        self._function = function
        self._enqueue = enqueue
        self._end = end
        self._idempotency = idempotency
        self._clock = clock

    def __call__(self, render: Render, body: Body, waiting: Waiting) -> Ran:
        """Run the render and return it as it stands at the caller's deadline, at the latest.

        Its `attempt` is the first to be made; the very first one is promised, others are claimed.
        With `cancel_late` a render that is not final by then is canceled with `render_timeout`,
        and one that no function has then is refused with `region_degraded`; else it goes on in the
        background, and repeats of its idempotency key are answered as this call is.
        """
        ran = self._run(render, body, waiting)
        if waiting.idempotency is not None and not ran.render.is_final:
            shown = Accepted202(ran.render.status, ran.render.started_at)
            self._idempotency.mark_accepted(waiting.idempotency, render.id, shown)
        return ran

    def _run(self, render: Render, body: Body, waiting: Waiting) -> Ran:
        attempt, busy = render.attempt, False
        while attempt <= MAX_ATTEMPTS and (left_s := self._left_s(waiting)) > 0:
            event = _event(render, body, waiting, attempt).to_json()
            try:
                answer = self._function.invoke(event, wait_s=left_s)
            except FunctionDied:
                log.warning("the render function died", extra={"attempt": attempt})
                attempt, busy = attempt + 1, False
            except FunctionBusy as refusal:
                # Where it may have begun after all, the promised attempt is not repeated.
                attempt, busy = max(attempt, 2 if refusal.unsure else 1), True
                time.sleep(min(_BUSY_PAUSE_S, left_s))
            except FunctionLate:
                log.info("the render is late", extra={"attempt": attempt})
                return self._late(render, body, waiting, running=attempt, tried=attempt - 1)
            else:
                here(CrashPoint.API_RAN)
                return self._ran(render, answer)
        if attempt > MAX_ATTEMPTS:
            return Ran(self._end.lost(render))
        if waiting.cancel_late and (busy or attempt > 1):
            return self._refuse(render, waiting)
        return self._late(render, body, waiting, running=NOBODY, tried=attempt - 1)

    def _ran(self, render: Render, answer: dict[str, Any]) -> Ran:
        try:
            told = RunAnswer.from_json(answer)
        except UnknownVersion:
            # Of another release; what came of the render stands in its row.
            return Ran(self._present(render))
        assert told.row is not None, render.id
        return Ran(render_of(told.row), told.content)

    def _left_s(self, waiting: Waiting) -> float:
        return waiting.deadline - self._clock.now().timestamp() - _WAY_BACK_S

    def _late(
        self, render: Render, body: Body, waiting: Waiting, *, running: int, tried: int
    ) -> Ran:
        """Cancel the render, or see to it that it ends; attempt `running` may still do so."""
        if waiting.cancel_late:
            return Ran(self._end.timed_out(render, running=running))
        present = self._present(render)
        if not present.is_final:
            going_on = present.attempt >= running
            present = self._enqueue.later(present, body, tried=None if going_on else tried)
        return Ran(present)

    def _present(self, render: Render) -> Render:
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present

    def _refuse(self, render: Render, waiting: Waiting) -> Ran:
        key = waiting.idempotency
        forget = self._idempotency.removal(key, render.id) if key else None
        ended = self._end.without_room(render, forget)
        if (ended.error or {}).get("code") != "region_degraded":
            return Ran(ended)
        raise ServiceError(
            "region_degraded",
            "There was no room for this render in time; nothing is billed. Try again, or send "
            "mode async.",
            headers={"Retry-After": "5"},
            render_id=render.id,
        )


def _event(render: Render, body: Body, waiting: Waiting, attempt: int) -> RunRender:
    return RunRender(
        render.workspace_id,
        render.id,
        attempt,
        # A body that is kept does not fit into an invocation.
        body if render.body_key is None else None,
        # The first attempt was promised when the render was made: no claim is needed.
        row=row_of(render) if attempt == 1 else None,
        deadline=waiting.deadline - _WAY_BACK_S - _REFUSED_BEFORE_S,
        return_body=render.answers_file,
        ends_at=waiting.deadline + _OVER_AFTER_S if waiting.cancel_late else None,
        request_id=render.request_id,
    )
