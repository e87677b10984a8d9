"""What follows a render's final state: its limits are settled and its fact is sent."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final

from chalicelib.adapters.aws.faults import passed_over
from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.facts.message import TellFact
from chalicelib.features.facts.model import Fact
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.settle import SettleRender

_UNSETTLED: Final = "not settled"


class ConcludeRender:
    """Does at once what the relay would do when the tick finds the fact; repeatable."""

    def __init__(self, *, settle: SettleRender, events: Queue) -> None:
        """Settle with this, and send facts there."""
        self._settle = settle
        self._events = events
        self._beside = ThreadPoolExecutor(1)

    def __call__(self, render: Render, fact: Fact, *, settle: bool = True) -> None:
        """Settle a final render unless its function will, and send its fact.

        Both at once, since a caller waits for both. Where the settling then fails, it is made good
        when the limits are next compared with their renders.
        """
        if not settle:
            self.tell(fact)
            here(CrashPoint.RENDER_FACT_SENT)
            return
        telling = self._beside.submit(copy_context().run, self.tell, fact, settled=True)
        with passed_over(_UNSETTLED):
            self._settle(render)
            here(CrashPoint.RENDER_SETTLED)
        telling.result()
        here(CrashPoint.RENDER_FACT_SENT)

    def settle(self, render: Render) -> None:
        """Settle a final render; where AWS has no room for that, the relay does it later."""
        with passed_over(_UNSETTLED):
            self._settle(render)

    def tell(self, fact: Fact, *, settled: bool = False) -> None:
        """Send a fact; where that fails, the tick does it."""
        message = TellFact.of(fact, settled=settled)
        self._events.try_send(message.to_json(), group=fact.workspace_id)
