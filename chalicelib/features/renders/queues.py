"""The queues that renders wait in, by their priority."""

from typing import NamedTuple

from chalicelib.adapters.aws.queues import Queue
from chalicelib.features.renders.model import Render


class RenderQueues(NamedTuple):
    """One queue a priority: `low` has fewer places, so it never stands in the way of `normal`."""

    normal: Queue
    low: Queue

    def of(self, render: Render) -> Queue:
        """Return the queue that a render waits in."""
        return self.low if render.priority == "low" else self.normal
