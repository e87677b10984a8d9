"""What follows a render's final state: its limits are settled and its fact is sent."""

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.facts.message import TellFact
from chalicelib.features.facts.model import Fact
from chalicelib.features.renders.clear import ClearRender
from chalicelib.features.renders.model import Render


class ConcludeRender:
    """Does at once what the relay would do when the tick finds the fact; repeatable."""

    def __init__(self, *, clear: ClearRender, events: Queue) -> None:
        """Settle with this, and send facts there."""
        self._clear = clear
        self._events = events

    def __call__(self, render: Render, fact: Fact, *, settle: bool = True) -> None:
        """Settle a final render unless its function will, and send its fact."""
        if settle:
            self.settle(render)
            here(CrashPoint.RENDER_SETTLED)
        self.tell(fact, settled=settle)
        here(CrashPoint.RENDER_FACT_SENT)

    def settle(self, render: Render) -> None:
        """Settle a render that somebody else has ended; its fact is theirs to send."""
        self._clear.settle(render)

    def tell(self, fact: Fact, *, settled: bool = False) -> None:
        """Send a fact; where that fails, the tick does it."""
        message = TellFact.of(fact, settled=settled)
        self._events.try_send(message.to_json(), group=fact.workspace_id)
