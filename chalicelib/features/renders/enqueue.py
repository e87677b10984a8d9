"""Hand a render to the queue."""

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.model import Body, Render
from chalicelib.features.renders.protocol import QueuedRender
from chalicelib.features.renders.repository import Renders


class EnqueueRender:
    """Queues renders; doing it twice is harmless, since the claim is what starts one."""

    def __init__(self, *, tables: Tables, renders: Renders, bodies: Bodies, queue: Queue) -> None:
        """Build from the stores and the queue."""
        self._tables = tables
        self._renders = renders
        self._bodies = bodies
        self._queue = queue

    def send(self, render: Render, request_id: str) -> None:
        """Put a render whose body is kept into the queue."""
        message = QueuedRender(render.workspace_id, render.id, request_id)
        self._queue.send(message.to_json(), group=render.workspace_id)

    def later(self, render: Render, body: Body, request_id: str, *, send: bool) -> Render:
        """Keep what a sync render needs to be run without its caller, and queue it with `send`.

        Returns the render as it stands; one that became final meanwhile is left alone.
        """
        if render.body_key is None:
            key = self._bodies.keep(render.workspace_id, render.id, body)
            try:
                self._tables.write(self._renders.body_kept(render, key))
            except ConditionFailed:
                present = self._renders.get(render.workspace_id, render.id)
                assert present is not None, render.id
                if present.is_final:
                    self._bodies.delete(key)
                return present
        if send:
            self.send(render, request_id)
        return render
