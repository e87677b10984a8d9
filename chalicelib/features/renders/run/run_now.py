"""Run a sync render while its caller waits, again when its function dies, else leave it queued."""

import logging
import time
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.features.renders.idempotency import Accepted202, IdempotencyKey, IdempotencyRecords
from chalicelib.features.renders.model import MAX_ATTEMPTS, Render, RenderBody
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import render_of, row_of
from chalicelib.features.renders.run.end import NO_ATTEMPT, EndRender
from chalicelib.features.renders.run.enqueue import EnqueueRender
from chalicelib.features.renders.run.protocol import RunRenderAnswer, RunRenderCall

log = logging.getLogger(__name__)

# Kept back for what comes after the function's answer.
_RESPONSE_MARGIN_S: Final = 0.3
_RETRY_PAUSE_S: Final = 0.15
# A refusal for want of room must come while it is still waited for.
_REFUSAL_MARGIN_S: Final = 0.5
# A little after its caller has canceled it, nobody needs a document any more.
_CANCEL_GRACE_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class WaitingCaller:
    """A caller that waits: until when (Unix seconds), and whether a late render is canceled."""

    deadline: float
    cancel_on_timeout: bool
    idempotency: IdempotencyKey | None


@dataclass(frozen=True, slots=True)
class SyncResult:
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
        function: LambdaFunction,
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

    def __call__(self, render: Render, body: RenderBody, caller: WaitingCaller) -> SyncResult:
        """Run the render and return it as it stands at the caller's deadline, at the latest.

        Its `attempt` is the first to be made; the very first one is promised, others are claimed.
        With `cancel_late` a render that is not final by then is canceled with `render_timeout`,
        and one that no function has then is refused with `region_degraded`; else it goes on in the
        background, and repeats of its idempotency key are answered as this call is.
        """
        ran = self._run(render, body, caller)
        if caller.idempotency is not None and not ran.render.is_final:
            shown = Accepted202(ran.render.status, ran.render.started_at)
            self._idempotency.mark_accepted(caller.idempotency, render.id, shown)
        return ran

    def _run(self, render: Render, body: RenderBody, caller: WaitingCaller) -> SyncResult:
        attempt, busy = render.attempt, False
        while attempt <= MAX_ATTEMPTS and (left_s := self._left_s(caller)) > 0:
            event = _run_call(render, body, caller, attempt).to_json()
            try:
                answer = self._function.invoke(event, wait_s=left_s)
            except FunctionDied:
                log.warning("the render function died", extra={"attempt": attempt})
                attempt, busy = attempt + 1, False
            except FunctionBusy as refusal:
                # Where it may have begun after all, the promised attempt is not repeated.
                attempt, busy = max(attempt, 2 if refusal.may_have_begun else 1), True
                time.sleep(min(_RETRY_PAUSE_S, left_s))
            except FunctionLate:
                log.info("the render is late", extra={"attempt": attempt})
                return self._handle_timeout(
                    render, body, caller, running_attempt=attempt, attempts_made=attempt - 1
                )
            else:
                crash_if_armed(CrashPoint.API_RAN)
                return self._result(render, answer)
        if attempt > MAX_ATTEMPTS:
            return SyncResult(self._end.fail_lost(render))
        if caller.cancel_on_timeout and (busy or attempt > 1):
            return self._cancel_no_capacity(render, caller)
        return self._handle_timeout(
            render, body, caller, running_attempt=NO_ATTEMPT, attempts_made=attempt - 1
        )

    def _result(self, render: Render, answer: dict[str, Any]) -> SyncResult:
        try:
            told = RunRenderAnswer.from_json(answer)
        except UnknownVersion:
            # Of another release; what came of the render stands in its row.
            return SyncResult(self._current(render))
        assert told.row is not None, render.id
        return SyncResult(render_of(told.row), told.content)

    def _left_s(self, caller: WaitingCaller) -> float:
        return caller.deadline - self._clock.now().timestamp() - _RESPONSE_MARGIN_S

    def _handle_timeout(
        self,
        render: Render,
        body: RenderBody,
        caller: WaitingCaller,
        *,
        running_attempt: int,
        attempts_made: int,
    ) -> SyncResult:
        """Cancel the render, or see to it that it ends; attempt `running` may still do so."""
        if caller.cancel_on_timeout:
            return SyncResult(self._end.cancel_timed_out(render, running_attempt=running_attempt))
        present = self._current(render)
        if not present.is_final:
            going_on = present.attempt >= running_attempt
            present = self._enqueue.continue_in_background(
                present, body, attempts_made=None if going_on else attempts_made
            )
        return SyncResult(present)

    def _current(self, render: Render) -> Render:
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present

    def _cancel_no_capacity(self, render: Render, caller: WaitingCaller) -> SyncResult:
        key = caller.idempotency
        forget = self._idempotency.removal(key, render.id) if key else None
        ended = self._end.cancel_no_capacity(render, forget)
        if (ended.error or {}).get("code") != "region_degraded":
            return SyncResult(ended)
        raise ServiceError(
            "region_degraded",
            "There was no room for this render in time; nothing is billed. Try again, or send "
            "mode async.",
            headers={"Retry-After": "5"},
            render_id=render.id,
        )


def _run_call(
    render: Render, body: RenderBody, caller: WaitingCaller, attempt: int
) -> RunRenderCall:
    return RunRenderCall(
        render.workspace_id,
        render.id,
        attempt,
        # A body that is kept does not fit into an invocation.
        body if render.body_key is None else None,
        # The first attempt was promised when the render was made: no claim is needed.
        row=row_of(render) if attempt == 1 else None,
        deadline=caller.deadline - _RESPONSE_MARGIN_S - _REFUSAL_MARGIN_S,
        return_body=render.returns_file,
        ends_at=caller.deadline + _CANCEL_GRACE_S if caller.cancel_on_timeout else None,
        request_id=render.request_id,
    )
