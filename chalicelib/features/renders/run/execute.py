"""Run one attempt of a render: claim it, make the document, finish it."""

import datetime as dt
import logging
from collections.abc import Callable
from copy import replace
from functools import partial
from typing import Final, NamedTuple

from chalicelib.adapters.aws.messages import PoisonMessage, is_retryable
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import Job, RenderOutcome
from chalicelib.features.renders.model import MAX_ATTEMPTS, Render, RenderBody
from chalicelib.features.renders.repository import Attempt, Renders
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.after_final import SettleAndPublish
from chalicelib.features.renders.run.bodies import RenderBodies
from chalicelib.features.renders.run.cancellation_watch import CancellationWatch
from chalicelib.features.renders.run.check_conformance import CheckConformance
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.finish import FinishRender, check_size
from chalicelib.features.renders.run.jobs import engine_job
from chalicelib.features.renders.run.protocol import QueuedRender, RunRenderCall
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.contents import UploadContents

type RunEngine = Callable[[Job], RenderOutcome]

log = logging.getLogger(__name__)

_TIME_LIMITS: Final = {"sync": dt.timedelta(seconds=120), "async": dt.timedelta(seconds=300)}
# Past its limit by this much, a render that is still processing has lost its function.
_LOST_AFTER: Final = dt.timedelta(minutes=2)
# Kept back for what comes after the verdicts, where the caller goes away with the render's end.
_STORE_MARGIN_S: Final = 1.5


class AttemptResult(NamedTuple):
    """A render as the attempt left it, and the bytes of its files where this attempt made them."""

    render: Render | None
    contents: tuple[bytes, ...] = ()


class ExecuteRender:
    """Runs attempts; `engine` makes documents and knows no tenant."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        renders: Renders,
        bodies: RenderBodies,
        engine: RunEngine,
        check_conformance: CheckConformance,
        finish: FinishRender,
        settle_and_publish: SettleAndPublish,
        end: EndRender,
        cancellation_watch: CancellationWatch,
        uploads: UploadContents,
        schemas: CheckSchemas,
        clock: Clock,
    ) -> None:
        """Build from the stores and the engine."""
        self._schemas = schemas
        self._renders = renders
        self._bodies = bodies
        self._engine = engine
        self._check_conformance = check_conformance
        self._finish = finish
        self._settle_and_publish = settle_and_publish
        self._end = end
        self._cancellation_watch = cancellation_watch
        self._uploads = uploads
        self._clock = clock

    def run_called(self, call: RunRenderCall, invocation: str) -> AttemptResult:
        """Run the attempt that the API function asks for."""
        crash_if_armed(CrashPoint.RENDER_BEGUN)
        if call.row is not None:
            started = format_rfc3339(self._clock.now())
            promised = replace(render_of(call.row), status="processing", started_at=started)
            return self._begin(promised, call.body, call.ends_at)
        attempt = self._new_attempt(call.attempt, invocation)
        claimed = self._renders.claim(call.workspace_id, call.render_id, attempt)
        if claimed is None:
            log.warning("the render is not there")
            return AttemptResult(None)
        if not claimed.is_mine:
            return self._skip(claimed.render)
        return self._begin(claimed.render, call.body, call.ends_at)

    def run_queued(self, message: QueuedRender, invocation: str, message_id: str) -> AttemptResult:
        """Run the next attempt of a queued render; what is final, or is being run, is left alone.

        Raises Poison where there is no such render.
        """
        crash_if_armed(CrashPoint.RENDER_BEGUN)
        number = 1
        while True:
            attempt = self._new_attempt(number, invocation, message_id)
            claimed = self._renders.claim(message.workspace_id, message.render_id, attempt)
            if claimed is None:
                reason = f"there is no render {message.render_id} of {message.workspace_id}"
                raise PoisonMessage(reason)
            if claimed.is_mine:
                return self._run_or_waive(claimed.render)
            if claimed.render.is_final or not claimed.is_free:
                return self._skip(claimed.render)
            number = claimed.render.attempt + 1
            if number > MAX_ATTEMPTS + claimed.render.waived_attempts:
                return AttemptResult(self._end.fail_lost(claimed.render))

    def _run_or_waive(self, render: Render) -> AttemptResult:
        """Run an attempt; one that fails by what will pass counts for nothing."""
        try:
            return self._begin(render, None, None)
        except Exception as fault:
            if is_retryable(fault):
                self._renders.waive_attempt(render, format_rfc3339(self._clock.now()))
            raise

    def _new_attempt(self, number: int, invocation: str, message_id: str | None = None) -> Attempt:
        now = self._clock.now()
        claimed_until = format_rfc3339(now + _TIME_LIMITS["async"] + _LOST_AFTER)
        return Attempt(number, invocation, format_rfc3339(now), claimed_until, message_id)

    def _skip(self, render: Render) -> AttemptResult:
        log.info("left alone", extra={"status": render.status, "attempt": render.attempt})
        if render.is_final:
            self._settle_and_publish.settle(render)
        return AttemptResult(render)

    def _begin(
        self, render: Render, body: RenderBody | None, ends_at: float | None
    ) -> AttemptResult:
        crash_if_armed(CrashPoint.RENDER_CLAIMED)
        log.info("attempt begun", extra={"attempt": render.attempt})
        if body is None and render.body_key is not None:
            body = self._bodies.get(render.body_key)
        if body is None:
            log.error("the render's body is gone")
            return AttemptResult(self._end.fail_lost(render))
        return self._run(render, body, ends_at)

    def _run(self, render: Render, body: RenderBody, ends_at: float | None) -> AttemptResult:
        limit = (self._clock.now() + _TIME_LIMITS[render.mode]).timestamp()
        if ends_at is not None:
            limit = min(limit, ends_at)
        uploads = partial(self._uploads.get, render.workspace_id)
        try:
            job = engine_job(
                body, deadline=limit, uploads=uploads, schemas=self._schemas, test=render.test
            )
            with self._cancellation_watch.watch(render) as cancellation:
                outcome = self._engine(replace(job, cancellation=cancellation))
                crash_if_armed(CrashPoint.RENDER_MADE)
                check_size(render, outcome)
                keep_s = 0 if ends_at is None else _STORE_MARGIN_S
                left_s = limit - keep_s - self._clock.now().timestamp()
                outcome = self._check_conformance(
                    render, outcome, Deadline.after(left_s, cancellation)
                )
                crash_if_armed(CrashPoint.RENDER_VALIDATED)
            done = self._finish.succeed(render, outcome)
        except RenderFailure as failure:
            return AttemptResult(self._finish.fail(render, failure))
        if (done.status, done.attempt) != ("succeeded", render.attempt):
            return AttemptResult(done)
        return AttemptResult(done, tuple(produced.content for produced in outcome.files))
