"""Hand a render to the queue of its priority."""

import logging
from copy import replace

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.renders.bodies import Bodies, body_key
from chalicelib.features.renders.model import Body, Render
from chalicelib.features.renders.protocol import QueuedRender
from chalicelib.features.renders.queues import RenderQueues
from chalicelib.features.renders.repository import Renders

log = logging.getLogger(__name__)


class EnqueueRender:
    """Queues renders; doing it twice is harmless, since the claim is what starts one."""

    def __init__(
        self,
        *,
        tables: Tables,
        renders: Renders,
        bodies: Bodies,
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
        if self._queues.of(render).try_send(message.to_json(), group=render.workspace_id):
            log.info("render queued", extra={"render": render.id})
        here(CrashPoint.API_ENQUEUED)

    def later(self, render: Render, body: Body, *, tried: int | None) -> Render:
        """Keep what a sync render needs to be run without its caller.

        Its attempt goes on, or else `tried` attempts are over and the queue has the next one.
        Returns the render as it stands; one that became final meanwhile is left alone.
        """
        key = body_key(render.workspace_id, render.id)
        now = rfc3339(self._clock.now())
        try:
            self._tables.write(self._renders.left(render, key, now, tried=tried))
        except ConditionFailed:
            present = self._present(render)
            if present.is_final:
                return present
            if (present.body_key, present.attempt) != (key, tried):
                # A later attempt has begun meanwhile.
                return self.later(present, body, tried=None)
            # Else this very call has written it, and its answer was lost.
        here(CrashPoint.API_LATE_LEFT)
        # Named before it is kept: whatever ends the render now, removes the body too.
        if render.body_key is None:
            self._bodies.keep(render.workspace_id, render.id, body)
            here(CrashPoint.API_LATE_BODY_KEPT)
            present = self._present(render)
            if present.is_final:
                self._bodies.delete(key)
                return present
        if tried is not None:
            self.send(render)
            return replace(render, body_key=key)
        return replace(
            render, body_key=key, status="processing", started_at=render.started_at or now
        )

    def _present(self, render: Render) -> Render:
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present
