"""Queues of renders by priority, and the handover of late sync renders to them."""

import datetime as dt
import logging
from contextlib import suppress
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.engine.job import Job
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies, body_key
from chalicelib.features.renders.run.protocol import QueuedRender

log = logging.getLogger(__name__)

# A message of a render is lost, or its function died, if the render is not final by then.
# Maintenance then queues it again; a second message of a render is harmless (decision 5).
DUE_AFTER: Final = dt.timedelta(minutes=5)


class RenderQueues(NamedTuple):
    """Queue of each priority, and that of items of batches.

    `low` and `batch_items` have less concurrency, so they cannot starve `normal` (decision 14).
    `batch_items` is None where no item of a batch is ever queued.
    """

    normal: Queue
    low: Queue
    batch_items: Queue | None = None

    def queue_for(self, render: Render) -> Queue:
        """Return the queue of a render."""
        if render.batch_id is not None:
            assert self.batch_items is not None, render.id
            return self.batch_items
        return self.low if render.priority == "low" else self.normal


class EnqueueRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Queueing of renders; idempotent, since only a claim starts an attempt."""

    table: Table
    renders: Renders
    bodies: RenderBodies
    queues: RenderQueues
    clock: Clock

    def send(self, render: Render) -> None:
        """Queue a render whose body is stored; if that fails, maintenance queues it."""
        message = QueuedRender(
            render.workspace_id, render.id, render.request_id, render.traceparent
        )
        if self.queues.queue_for(render).try_send(message.to_json(), group=render.workspace_id):
            log.info("render queued", extra={"render": render.id})
        else:
            now = format_rfc3339(self.clock.now())
            with tolerate_transient("an unsent render is not due yet"), suppress(ConditionFailed):
                self.table.write(self.renders.postpone_write(render, now))
        crash_if_armed(CrashPoint.API_ENQUEUED)

    def continue_in_background(
        self, render: Render, job: Job, *, attempts_made: int | None
    ) -> Render:
        """Store the job of a late sync render, so that it can run without its caller.

        With `attempts_made` None the current attempt continues. Otherwise that many attempts are
        over, and the queue gets the next one. Returns the current render, unchanged if final.
        """
        key = body_key(render.workspace_id, render.id)
        moment = self.clock.now()
        now, due_at = format_rfc3339(moment), format_rfc3339(moment + DUE_AFTER)
        try:
            self.table.write(
                self.renders.background_write(render, key, now, due_at, attempts_made=attempts_made)
            )
        except ConditionFailed:
            current = self._current(render)
            if current.is_final:
                return current
            if (current.body_key, current.attempt) != (key, attempts_made):
                # A later attempt has begun meanwhile.
                return self.continue_in_background(current, job, attempts_made=None)
            # Otherwise this call has written the row and lost the response.
        crash_if_armed(CrashPoint.API_LATE_HANDED_OVER)
        # The row names the body before it is stored: the end of the render then deletes it too.
        if render.body_key is None:
            self.bodies.store(render.workspace_id, render.id, job)
            crash_if_armed(CrashPoint.API_LATE_BODY_STORED)
            current = self._current(render)
            if current.is_final:
                self.bodies.delete(key)
                return current
        if attempts_made is not None:
            self.send(render)
            return replace(render, body_key=key)
        return replace(
            render, body_key=key, status="processing", started_at=render.started_at or now
        )

    def _current(self, render: Render) -> Render:
        current = self.renders.get(render.workspace_id, render.id)
        assert current is not None, render.id
        return current
