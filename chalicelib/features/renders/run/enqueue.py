"""Hand a render to the queue of its priority."""

import logging
from copy import replace
from typing import NamedTuple

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.renders.model import Render, RenderBody
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies, body_key
from chalicelib.features.renders.run.protocol import QueuedRender

log = logging.getLogger(__name__)


class RenderQueues(NamedTuple):
    """One queue a priority: `low` has fewer places, so it never stands in the way of `normal`."""

    normal: Queue
    low: Queue

    def queue_for(self, render: Render) -> Queue:
        """Return the queue that a render waits in."""
        return self.low if render.priority == "low" else self.normal


class EnqueueRender:
    """Queues renders; doing it twice is harmless, since the claim is what starts one."""

    def __init__(
        self,
        *,
        tables: Tables,
        renders: Renders,
        bodies: RenderBodies,
        queues: RenderQueues,
        clock: Clock,
    ) -> None:
        """Build from the stores and the queues."""
        self._tables = tables
        self._renders = renders
        self._bodies = bodies
        self._queues = queues
        self._clock = clock

    def send(self, render: Render) -> None:
        """Put a render whose body is kept into the queue; where that fails, the tick does it."""
        message = QueuedRender(render.workspace_id, render.id, render.request_id)
        if self._queues.queue_for(render).try_send(message.to_json(), group=render.workspace_id):
            log.info("render queued", extra={"render": render.id})
        crash_if_armed(CrashPoint.API_ENQUEUED)

    def continue_in_background(
        self, render: Render, body: RenderBody, *, attempts_made: int | None
    ) -> Render:
        """Keep what a sync render needs to be run without its caller.

        Its attempt goes on, or else `tried` attempts are over and the queue has the next one.
        Returns the render as it stands; one that became final meanwhile is left alone.
        """
        key = body_key(render.workspace_id, render.id)
        now = format_rfc3339(self._clock.now())
        try:
            self._tables.write(
                self._renders.background_write(render, key, now, attempts_made=attempts_made)
            )
        except ConditionFailed:
            present = self._current(render)
            if present.is_final:
                return present
            if (present.body_key, present.attempt) != (key, attempts_made):
                # A later attempt has begun meanwhile.
                return self.continue_in_background(present, body, attempts_made=None)
            # Else this very call has written it, and its answer was lost.
        crash_if_armed(CrashPoint.API_LATE_HANDED_OVER)
        # Named before it is kept: whatever ends the render now, removes the body too.
        if render.body_key is None:
            self._bodies.store(render.workspace_id, render.id, body)
            crash_if_armed(CrashPoint.API_LATE_BODY_STORED)
            present = self._current(render)
            if present.is_final:
                self._bodies.delete(key)
                return present
        if attempts_made is not None:
            self.send(render)
            return replace(render, body_key=key)
        return replace(
            render, body_key=key, status="processing", started_at=render.started_at or now
        )

    def _current(self, render: Render) -> Render:
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present
