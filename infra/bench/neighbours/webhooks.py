"""Webhooks of a neighbour, and events of another workspace that slow endpoints hear."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import WorkspaceId
from infra.bench.final_renders import FinalRenders, bench_clients
from infra.bench.webhooks.endpoints import BenchEndpoints
from infra.bench.webhooks.receiver import BenchReceiver
from infra.local.running_stack import RunningStack

FIRST_EVENTS: Final = 10
SECONDS_PER_EVENT: Final = 2
_PAUSE_S: Final = 0.2
_TIMEOUT_S: Final = 120.0


class Webhooks:
    """Webhooks of the neighbour: renders that end, and an endpoint that answers at once."""

    def __init__(self, stack: RunningStack, receiver: BenchReceiver) -> None:
        """Make the endpoint."""
        self._ends = _EndedRenders(stack)
        self._receiver = receiver
        BenchEndpoints(stack).make(WorkspaceId(stack.workspace), receiver.url("/ok/neighbour"))

    def lags(self, count: int) -> list[float]:
        """Return the seconds from the end of each render to the arrival of its webhook."""
        ended_at = {}
        for _ in range(count):
            event_id, at = self._ends.end()
            ended_at[event_id] = at
            time.sleep(_PAUSE_S)
        deadline = time.monotonic() + _TIMEOUT_S
        while True:
            arrivals = self._receiver.arrivals("/ok/neighbour")
            arrived_at = {each.event_id: each.at for each in arrivals}
            if ended_at.keys() <= arrived_at.keys():
                return [arrived_at[name] - at for name, at in ended_at.items()]
            assert time.monotonic() < deadline, "webhooks have not arrived"
            time.sleep(1)


class _EndedRenders:
    """Renders of one workspace that end without being made."""

    def __init__(self, stack: RunningStack) -> None:
        clients = bench_clients(stack)
        self._renders = FinalRenders(stack, clients)
        self._queue = Queue(clients, stack.resources["EventsQueue"]["Ref"])

    def end(self) -> tuple[str, float]:
        """End a render; return the id of its event and the Unix time of its end."""
        render = self._renders.copy()
        message = self._renders.write(render)
        self._queue.send(message.to_json(), group=render.workspace_id)
        assert render.completed_at is not None
        return message.sort_key.rpartition("#")[2], parse_rfc3339(render.completed_at).timestamp()


@contextmanager
def slow_events(stack: RunningStack, receiver: BenchReceiver, endpoints: int) -> Iterator[None]:
    """End renders in the block, ten at once and then one in two seconds.

    So many endpoints hear each that never answer. Their retries go on after the block.
    """
    making = BenchEndpoints(stack)
    for number in range(endpoints):
        making.make(WorkspaceId(stack.workspace), receiver.url(f"/never/{number}"))
    ends, stopping = _EndedRenders(stack), threading.Event()

    def run() -> None:
        for _ in range(FIRST_EVENTS):
            ends.end()
        while not stopping.wait(SECONDS_PER_EVENT):
            ends.end()

    sender = threading.Thread(target=run)
    sender.start()
    time.sleep(1)
    try:
        yield
    finally:
        stopping.set()
        sender.join()
