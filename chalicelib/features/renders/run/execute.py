"""Run one attempt of a render: claim, ask the engine, check conformance, finish."""

import datetime as dt
import logging
from concurrent.futures import Future
from contextlib import nullcontext
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.messages import PoisonMessageError, is_retryable
from chalicelib.adapters.aws.remote_engine import EngineCallContext, RemoteEngine
from chalicelib.adapters.tracing import current_traceparent, span
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.delivery.emails import EmailContents
from chalicelib.engine.job import Job, MarkJob, PageJob, PdfToolJob, RenderOutcome
from chalicelib.features.renders.model import MAX_ATTEMPTS, Attempt, Render, RunMode
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.bodies import RenderBodies, engine_folder
from chalicelib.features.renders.run.cancellation_watch import CancellationWatch
from chalicelib.features.renders.run.check_conformance import CheckConformance
from chalicelib.features.renders.run.check_outcome import check_files, check_warnings
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.finish import FinishRender
from chalicelib.features.renders.run.jobs import (
    job_with_context,
    upload_keys,
    with_trace_header,
)
from chalicelib.features.renders.run.protocol import QueuedRender, RunRenderCall
from chalicelib.features.renders.run.receipts import first_receipts, has_targets
from chalicelib.features.renders.run.settle import SettleAndPublish

log = logging.getLogger(__name__)

_TIME_LIMITS: Final = {"sync": dt.timedelta(seconds=120), "async": dt.timedelta(seconds=300)}
# A render that is still processing so long after its time limit has lost its function.
_LOST_AFTER: Final = dt.timedelta(minutes=2)
# Reserved for storing after the verdicts, if the caller waits until the render's deadline.
_STORE_MARGIN_S: Final = 1.5
# The wait of a queued render for a free engine; then its message comes again (decision 11).
_QUEUED_SLOT_S: Final = 60.0
# Function of the spans.
_SERVICE: Final = "render"


class AttemptResult(NamedTuple):
    """Render after an attempt, with the bytes of its files if this attempt rendered them."""

    render: Render | None
    contents: tuple[bytes, ...] = ()


class RunJob(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Runner of jobs; raises as the methods of RemoteEngine do."""

    engine: RemoteEngine
    pdf_tools: RemoteEngine

    def __call__(self, job: Job, context: EngineCallContext) -> RenderOutcome:
        """Make the files of a job."""
        if not isinstance(job, PdfToolJob):
            return self.engine.run(job, context)
        mark = job.options.mark
        if mark is None:
            return self.pdf_tools.run(job, context)
        # Only the engine has a browser, which prints the text or picture.
        printed = self.engine.run(MarkJob(mark, f"/{job.options.tool}"), context)
        marked = replace(job, mark=printed.files[0].content)
        return self.pdf_tools.run(marked, context).with_trace_before(printed.trace)


class ExecuteRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Execution of attempts; the engine has no rights."""

    renders: Renders
    bodies: RenderBodies
    run_job: RunJob
    check_conformance: CheckConformance
    finish: FinishRender
    settle_and_publish: SettleAndPublish
    end: EndRender
    cancellation_watch: CancellationWatch
    clock: Clock

    def run_called(self, call: RunRenderCall, invocation: str) -> AttemptResult:
        """Run the attempt that the API function requests.

        A call with a row holds the promised first attempt, which needs no claim (decision 10).
        Raises FunctionBusy if no engine is free until the call's deadline, and EngineLost.
        """
        crash_if_armed(CrashPoint.RENDER_BEGUN)
        if call.row is not None:
            started_at = format_rfc3339(self.clock.now())
            promised = replace(
                render_of(dict(call.row)), status="processing", started_at=started_at
            )
            return self._begin(promised, call.job, call)
        attempt = self._new_attempt(call.attempt, invocation, mode="sync")
        claim = self.renders.claim(call.workspace_id, call.render_id, attempt)
        if claim is None:
            log.warning("the render does not exist")
            return AttemptResult(None)
        if not claim.is_mine:
            return self._skip(claim.render)
        return self._begin(claim.render, call.job, call)

    def run_queued(self, message: QueuedRender, invocation: str, message_id: str) -> AttemptResult:
        """Run the next attempt of a queued render; skip it if it is final or running.

        Raises PoisonMessageError if there is no such render.
        """
        crash_if_armed(CrashPoint.RENDER_BEGUN)
        number = 1
        while True:
            attempt = self._new_attempt(number, invocation, message_id)
            claim = self.renders.claim(message.workspace_id, message.render_id, attempt)
            if claim is None:
                reason = f"there is no render {message.render_id} of {message.workspace_id}"
                raise PoisonMessageError(reason)
            if claim.is_mine:
                return self._run_or_waive(claim.render)
            if claim.render.is_final or not claim.is_free:
                return self._skip(claim.render)
            number = claim.render.attempt + 1
            if number > MAX_ATTEMPTS + claim.render.waived_attempts:
                return AttemptResult(self.end.fail_lost(claim.render))

    def _run_or_waive(self, render: Render) -> AttemptResult:
        """Run an attempt; waive it if a retryable error ends it (decision 5)."""
        try:
            return self._begin(render, None, None)
        except Exception as fault:
            if is_retryable(fault):
                self.renders.waive_attempt(render, format_rfc3339(self.clock.now()))
            raise

    def _new_attempt(
        self, number: int, invocation: str, message_id: str | None = None, mode: RunMode = "async"
    ) -> Attempt:
        now = self.clock.now()
        claimed_until = format_rfc3339(now + _TIME_LIMITS[mode] + _LOST_AFTER)
        return Attempt(number, invocation, format_rfc3339(now), claimed_until, message_id)

    def _skip(self, render: Render) -> AttemptResult:
        log.info("attempt skipped", extra={"status": render.status, "attempt": render.attempt})
        if render.is_final:
            self.settle_and_publish.settle(render)
        return AttemptResult(render)

    def _begin(self, render: Render, job: Job | None, call: RunRenderCall | None) -> AttemptResult:
        crash_if_armed(CrashPoint.RENDER_CLAIMED)
        log.info("attempt begun", extra={"attempt": render.attempt})
        if job is None and render.body_key is not None:
            job = self.bodies.get(render.body_key)
        if job is None:
            log.error("the render's body is gone")
            return AttemptResult(self.end.fail_lost(render))
        return self._run(render, job_with_context(job, render), call)

    def _run(self, render: Render, job: Job, call: RunRenderCall | None) -> AttemptResult:
        ends_at = None if call is None else call.ends_at
        deadline = (self.clock.now() + _TIME_LIMITS[render.mode]).timestamp()
        if ends_at is not None:
            deadline = min(deadline, ends_at)
        try:
            with self.cancellation_watch.watch(render) as cancellation:
                context = self._call_context(render, job, call, (deadline, cancellation))
                outcome = self.run_job(with_trace_header(job, current_traceparent()), context)
                emails = _emails_of(job, outcome)
                crash_if_armed(CrashPoint.RENDER_MADE)
                check_files(render, outcome)
                margin_s = 0 if ends_at is None else _STORE_MARGIN_S
                left_s = deadline - margin_s - self.clock.now().timestamp()
                with span("validate", _SERVICE) if outcome.validation_requests else nullcontext():
                    outcome = self.check_conformance(
                        render, outcome, Deadline.after(left_s, cancellation)
                    )
                check_warnings(job, outcome)
                crash_if_armed(CrashPoint.RENDER_VALIDATED)
            receipts = first_receipts(job, outcome)
            with span("store", _SERVICE):
                finished = self.finish.succeed(render, outcome, emails, receipts)
        except RenderFailure as failure:
            return AttemptResult(self.finish.fail(render, failure))
        # The render was ended, or taken over by a later attempt: these bytes are not its files.
        if (finished.status, finished.attempt) != ("succeeded", render.attempt):
            return AttemptResult(finished)
        return AttemptResult(finished, tuple(file.content for file in outcome.files))

    def _call_context(
        self,
        render: Render,
        job: Job,
        call: RunRenderCall | None,
        deadline_and_cancellation: tuple[float, Future[None]],
    ) -> EngineCallContext:
        deadline, cancellation = deadline_and_cancellation
        queued_until = self.clock.now().timestamp() + _QUEUED_SLOT_S
        return EngineCallContext(
            tenant=render.workspace_id,
            folder=engine_folder(render.workspace_id, f"{render.id}/{render.attempt}"),
            ends_at=deadline,
            slot_ends_at=queued_until if call is None else call.deadline,
            uploads=upload_keys(job, render.workspace_id),
            test=render.test,
            may_store=not render.zero_retention or has_targets(job),
            cancellation=cancellation,
        )


def _emails_of(job: Job, outcome: RenderOutcome) -> EmailContents | None:
    """Return the rules of a job and their emails, or None if it has no rules."""
    if not isinstance(job, PageJob) or job.emails is None or not job.emails.rules:
        return None
    # Few jobs have some.
    from chalicelib.engine.emails.evaluate import check_emails  # noqa: PLC0415

    rules = job.emails.rules
    return EmailContents(rules, check_emails(rules, outcome.emails))
