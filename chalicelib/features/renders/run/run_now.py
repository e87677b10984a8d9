"""Run a sync render while its caller waits; retry dead functions, hand over late renders."""

import logging
import time
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.tracing import current_traceparent
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.core.message_version import UnknownVersion
from chalicelib.engine.job import Job
from chalicelib.features.renders.idempotency.model import Accepted202, IdempotencyKey
from chalicelib.features.renders.idempotency.repository import IdempotencyRecords
from chalicelib.features.renders.model import MAX_ATTEMPTS, Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import render_of, row_of
from chalicelib.features.renders.run.end import NO_ATTEMPT, EndRender
from chalicelib.features.renders.run.enqueue import EnqueueRender
from chalicelib.features.renders.run.protocol import RunRenderAnswer, RunRenderCall

log = logging.getLogger(__name__)

# Reserved for the work after the function's answer.
_RESPONSE_MARGIN_S: Final = 0.3
_RETRY_PAUSE_S: Final = 0.15
# The refusal of a busy function must arrive before the caller's deadline.
_REFUSAL_MARGIN_S: Final = 0.5
# The document is useless shortly after the caller's deadline has canceled its render.
_CANCEL_GRACE_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class WaitingCaller:
    """Caller that waits until `deadline` (Unix seconds)."""

    deadline: float
    cancel_on_timeout: bool
    idempotency: IdempotencyKey | None


@dataclass(frozen=True, slots=True)
class SyncResult:
    """Render at the time of the answer; `contents` are its files in base64, if returned."""

    render: Render
    contents: tuple[str, ...] | None = None


class RunNow(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Synchronous execution of a render, until the caller's deadline."""

    renders: Renders
    function: LambdaFunction
    enqueue: EnqueueRender
    end: EndRender
    idempotency: IdempotencyRecords
    clock: Clock

    def __call__(self, render: Render, job: Job, caller: WaitingCaller) -> SyncResult:
        """Run the render and return its state, by the caller's deadline.

        `render.attempt` is the first attempt to make; attempt 1 is promised, later ones are claimed
        (decision 10). With `cancel_on_timeout` a late render is canceled with `render_timeout`, or
        refused with `region_degraded` if no function has accepted it. Otherwise it continues in the
        background, and repeats of its Idempotency-Key get the same answer as this call.
        """
        result = self._run(render, job, caller)
        if caller.idempotency is not None and not result.render.is_final:
            accepted = Accepted202(result.render.status, result.render.started_at)
            self.idempotency.mark_accepted(caller.idempotency, render.id, accepted)
        return result

    def _run(self, render: Render, job: Job, caller: WaitingCaller) -> SyncResult:
        attempt = render.attempt
        while attempt <= MAX_ATTEMPTS and (left_s := self._left_s(caller)) > 0:
            event = _run_call(render, job, caller, attempt).to_json()
            try:
                answer = self.function.invoke(event, wait_s=left_s)
            except FunctionDied:
                log.warning("the render function died", extra={"attempt": attempt})
                attempt += 1
            except FunctionBusy as refusal:
                # The function may have begun in spite of its refusal: attempt 1 is not repeated.
                attempt = max(attempt, 2 if refusal.may_have_begun else 1)
                if refusal.has_waited:
                    # An attempt that is not promised was claimed before the wait.
                    made = attempt if attempt > 1 else 0
                    return self._handle_unbegun(render, job, caller, made)
                time.sleep(min(_RETRY_PAUSE_S, left_s))
            except FunctionLate:
                log.info("the render is late", extra={"attempt": attempt})
                return self._handle_timeout(
                    render, job, caller, running_attempt=attempt, attempts_made=attempt - 1
                )
            else:
                crash_if_armed(CrashPoint.API_RAN)
                return self._result(render, answer)
        if attempt > MAX_ATTEMPTS:
            return SyncResult(self.end.fail_lost(render))
        return self._handle_unbegun(render, job, caller, attempt - 1)

    def _handle_unbegun(
        self,
        render: Render,
        job: Job,
        caller: WaitingCaller,
        attempts_made: int,
    ) -> SyncResult:
        """Refuse a render that no function runs, or continue it in the background."""
        if caller.cancel_on_timeout:
            return self._cancel_no_capacity(render, caller)
        return self._handle_timeout(
            render, job, caller, running_attempt=NO_ATTEMPT, attempts_made=attempts_made
        )

    def _result(self, render: Render, answer: dict[str, Any]) -> SyncResult:
        try:
            parsed = RunRenderAnswer.from_json(answer)
        except UnknownVersion:
            # The function is of another release; the row has the outcome.
            return SyncResult(self._current(render))
        assert parsed.row is not None, render.id
        return SyncResult(render_of(dict(parsed.row)), parsed.contents)

    def _left_s(self, caller: WaitingCaller) -> float:
        return caller.deadline - self.clock.now().timestamp() - _RESPONSE_MARGIN_S

    def _handle_timeout(
        self,
        render: Render,
        job: Job,
        caller: WaitingCaller,
        *,
        running_attempt: int,
        attempts_made: int,
    ) -> SyncResult:
        """Cancel the render, or continue it in the background; `running_attempt` may finish it."""
        if caller.cancel_on_timeout:
            return SyncResult(self.end.cancel_timed_out(render, running_attempt=running_attempt))
        current = self._current(render)
        if not current.is_final:
            is_running = current.attempt >= running_attempt
            current = self.enqueue.continue_in_background(
                current, job, attempts_made=None if is_running else attempts_made
            )
        return SyncResult(current)

    def _current(self, render: Render) -> Render:
        current = self.renders.get(render.workspace_id, render.id)
        assert current is not None, render.id
        return current

    def _cancel_no_capacity(self, render: Render, caller: WaitingCaller) -> SyncResult:
        key = caller.idempotency
        key_removal = self.idempotency.removal(key, render.id) if key else None
        ended = self.end.cancel_no_capacity(render, key_removal)
        if (ended.error or {}).get("code") != "region_degraded":
            return SyncResult(ended)
        raise ServiceError(
            "region_degraded",
            "There was no room for this render in time; nothing is billed. Try again, or send "
            "mode async.",
            headers={"Retry-After": "5"},
            render_id=render.id,
        )


def _run_call(render: Render, job: Job, caller: WaitingCaller, attempt: int) -> RunRenderCall:
    return RunRenderCall(
        render.workspace_id,
        render.id,
        attempt,
        # A stored body does not fit into an invocation.
        job if render.body_key is None else None,
        # Attempt 1 was promised in the new row and needs no claim (decision 10).
        row=row_of(render) if attempt == 1 else None,
        deadline=caller.deadline - _RESPONSE_MARGIN_S - _REFUSAL_MARGIN_S,
        return_body=render.returns_file,
        ends_at=caller.deadline + _CANCEL_GRACE_S if caller.cancel_on_timeout else None,
        request_id=render.request_id,
        traceparent=current_traceparent() or render.traceparent,
    )
