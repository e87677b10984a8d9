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

    def later(self, render: Render, body: Body, request_id: str) -> None:
        """Queue a render that was to run at once; one that has started meanwhile goes on there."""
        key = self._bodies.keep(render.workspace_id, render.id, body)
        try:
            self._tables.write(self._renders.queued_body(render, key))
        except ConditionFailed:
            self._bodies.delete(key)
            return
        self.send(render, request_id)
