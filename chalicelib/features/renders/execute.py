"""Run one attempt of a render: claim it, make the document, finish it."""

import datetime as dt
import logging
from collections.abc import Callable
from copy import replace
from functools import partial
from typing import Final, NamedTuple

from chalicelib.adapters.aws.messages import Poison, may_pass
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import Job, Outcome
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.conclude import ConcludeRender
from chalicelib.features.renders.conform import ConformRender
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.finish import FinishRender, check_size
from chalicelib.features.renders.jobs import job_of
from chalicelib.features.renders.model import MAX_ATTEMPTS, Body, Render
from chalicelib.features.renders.protocol import QueuedRender, RunRender
from chalicelib.features.renders.rehearsal import Rehearsal, check_made
from chalicelib.features.renders.repository import Attempt, Renders
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.stop_ended import StopEnded
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.contents import UploadContents

type Engine = Callable[[Job], Outcome]

log = logging.getLogger(__name__)

_LIMIT: Final = {"sync": dt.timedelta(seconds=120), "async": dt.timedelta(seconds=300)}
# Past its limit by this much, a render that is still processing has lost its function.
_GRACE: Final = dt.timedelta(minutes=2)
# Kept back for what comes after the verdicts, where the caller goes away with the render's end.
_STORING_S: Final = 1.5


class Executed(NamedTuple):
    """A render as the attempt left it, and the bytes of its files where this attempt made them."""

    render: Render | None
    contents: tuple[bytes, ...] = ()


class ExecuteRender:
    """Runs attempts; `engine` makes documents and knows no tenant."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        renders: Renders,
        bodies: Bodies,
        engine: Engine,
        conform: ConformRender,
        finish: FinishRender,
        conclude: ConcludeRender,
        end: EndRender,
        stop_ended: StopEnded,
        uploads: UploadContents,
        schemas: CheckSchemas,
        clock: Clock,
    ) -> None:
        """Build from the stores and the engine."""
        self._schemas = schemas
        self._renders = renders
        self._bodies = bodies
        self._engine = engine
        self._conform = conform
        self._finish = finish
        self._conclude = conclude
        self._end = end
        self._stop_ended = stop_ended
        self._uploads = uploads
        self._clock = clock

    def now(self, order: RunRender, invocation: str) -> Executed:
        """Run the attempt that the API function asks for."""
        here(CrashPoint.RENDER_BEGUN)
        if order.row is not None:
            started = rfc3339(self._clock.now())
            promised = replace(render_of(order.row), status="processing", started_at=started)
            return self._begin(promised, order.body, order.ends_at)
        attempt = self._attempt(order.attempt, invocation)
        claimed = self._renders.claim(order.workspace_id, order.render_id, attempt)
        if claimed is None:
            log.warning("the render is not there")
            return Executed(None)
        if not claimed.mine:
            return self._left_alone(claimed.render)
        return self._begin(claimed.render, order.body, order.ends_at)

    def queued(self, message: QueuedRender, invocation: str, message_id: str) -> Executed:
        """Run the next attempt of a queued render; what is final, or is being run, is left alone.

        Raises Poison where there is no such render.
        """
        here(CrashPoint.RENDER_BEGUN)
        number = 1
        while True:
            attempt = self._attempt(number, invocation, message_id)
            claimed = self._renders.claim(message.workspace_id, message.render_id, attempt)
            if claimed is None:
                reason = f"there is no render {message.render_id} of {message.workspace_id}"
                raise Poison(reason)
            if claimed.mine:
                return self._excused_where_it_passes(claimed.render)
            if claimed.render.is_final or not claimed.free:
                return self._left_alone(claimed.render)
            number = claimed.render.attempt + 1
            if number > MAX_ATTEMPTS + claimed.render.excused:
                return Executed(self._end.lost(claimed.render))

    def rehearsed(self, order: Rehearsal) -> RenderFailure | None:
        """Make a document of which nothing is kept; return why it cannot be made."""
        try:
            check_made(self._engine(self.job_of(order)), order.max_pages)
        except RenderFailure as failure:
            return failure
        return None

    def job_of(self, order: Rehearsal) -> Job:
        """Return the job of a rehearsal; raises RenderFailure where nobody waits for it."""
        body = order.body
        if body is None and order.body_key is not None:
            body = self._bodies.get(order.body_key)
        if body is None:
            raise RenderFailure("render_timeout", "Nobody waits for this document any more.")
        uploads = partial(self._uploads.get, order.workspace_id)
        return job_of(
            body, deadline=order.ends_at, uploads=uploads, schemas=self._schemas, test=False
        )

    def _excused_where_it_passes(self, render: Render) -> Executed:
        """Run an attempt; one that fails by what will pass counts for nothing."""
        try:
            return self._begin(render, None, None)
        except Exception as fault:
            if may_pass(fault):
                self._renders.excuse(render, rfc3339(self._clock.now()))
            raise

    def _attempt(self, number: int, invocation: str, message_id: str | None = None) -> Attempt:
        now = self._clock.now()
        held_until = rfc3339(now + _LIMIT["async"] + _GRACE)
        return Attempt(number, invocation, rfc3339(now), held_until, message_id)

    def _left_alone(self, render: Render) -> Executed:
        log.info("left alone", extra={"status": render.status, "attempt": render.attempt})
        if render.is_final:
            self._conclude.settle(render)
        return Executed(render)

    def _begin(self, render: Render, body: Body | None, until: float | None) -> Executed:
        here(CrashPoint.RENDER_CLAIMED)
        log.info("attempt begun", extra={"attempt": render.attempt})
        if body is None and render.body_key is not None:
            body = self._bodies.get(render.body_key)
        if body is None:
            log.error("the render's body is gone")
            return Executed(self._end.lost(render))
        return self._run(render, body, until)

    def _run(self, render: Render, body: Body, until: float | None) -> Executed:
        limit = (self._clock.now() + _LIMIT[render.mode]).timestamp()
        if until is not None:
            limit = min(limit, until)
        uploads = partial(self._uploads.get, render.workspace_id)
        try:
            job = job_of(
                body, deadline=limit, uploads=uploads, schemas=self._schemas, test=render.test
            )
            with self._stop_ended.watching(render) as stopped:
                outcome = self._engine(replace(job, stopped=stopped))
                here(CrashPoint.RENDER_MADE)
                check_size(render, outcome)
                keep_s = 0 if until is None else _STORING_S
                left_s = limit - keep_s - self._clock.now().timestamp()
                outcome = self._conform(render, outcome, Deadline.after(left_s, stopped))
                here(CrashPoint.RENDER_JUDGED)
            done = self._finish.succeeded(render, outcome)
        except RenderFailure as failure:
            return Executed(self._finish.failed(render, failure))
        if (done.status, done.attempt) != ("succeeded", render.attempt):
            return Executed(done)
        return Executed(done, tuple(produced.content for produced in outcome.files))
