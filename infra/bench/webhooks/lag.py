"""Benchmark: time from the end of a render to the first attempt of its webhook (decision 38).

300 renders end, five a second in open loop, in one workspace with 52 endpoints. Each event is heard
by one of 50 healthy endpoints, by an endpoint that answers after 9.9 s, and by an endpoint that
never answers; the stack has seen none of them before. Measured is the time from `completed_at` of
the render in the payload's event to the arrival at the healthy receiver; both clocks are this
machine's. The renders are final rows, written with their events and their messages as the render
function does, so that no browser takes part: measured is what follows the final state.
"""

import statistics
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, NamedTuple

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core.clock import SystemClock, parse_rfc3339
from chalicelib.core.ids import RandomIdGenerator, WorkspaceId
from infra.bench.final_renders import FinalRenders, bench_clients
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.webhooks.endpoints import BenchEndpoints
from infra.bench.webhooks.receiver import BenchReceiver
from infra.local.running_stack import RunningStack

LIMIT: Final = Limit(2.0, unit=" s")
EVENTS_PER_SECOND: Final = 5


class Size(NamedTuple):
    """Events, and the healthy endpoints that hear them."""

    events: int
    healthy: int


FULL: Final = Size(events=300, healthy=50)
SMOKE: Final = Size(events=2, healthy=2)
_TIMEOUT_S: Final = 120.0


class _EndedRender(NamedTuple):
    """Id of the event of a render, and the Unix time of its end."""

    event_id: str
    ended_at: float


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and p99 in seconds."""
    stack, receiver = parts.stack, parts.receiver
    workspace_id = WorkspaceId(RandomIdGenerator().new("ws", SystemClock().now()))
    template_ids = _make_endpoints(stack, receiver, workspace_id, size.healthy)
    ended = _end_renders(stack, workspace_id, template_ids, size.events)
    arrivals = receiver.wait_for("/ok/lag/", size.events, _TIMEOUT_S)
    arrived_at = {each.event_id: each.at for each in arrivals}
    lags = sorted(arrived_at[each.event_id] - each.ended_at for each in ended)
    quantiles = statistics.quantiles(lags, n=100)
    report.row(
        f"{size.events} events, {EVENTS_PER_SECOND} a second, s", "p50", "p90", "p99", "longest"
    )
    report.row(
        f"{size.healthy} healthy endpoints", quantiles[49], quantiles[89], quantiles[-1], lags[-1]
    )
    for name in ("late", "never"):
        first_attempts = len(receiver.arrivals(f"/{name}/"))
        report.row(f"endpoint that answers {name}", note=f"{first_attempts} first attempts so far")
    report.result(LIMIT, quantiles[-1])


def _make_endpoints(
    stack: RunningStack, receiver: BenchReceiver, workspace_id: WorkspaceId, healthy: int
) -> list[str]:
    """Make all endpoints, and return the templates that distinguish the healthy ones."""
    endpoints, ids = BenchEndpoints(stack), RandomIdGenerator()
    template_ids = [ids.new("tpl", SystemClock().now()) for _ in range(healthy)]
    for number, template_id in enumerate(template_ids):
        endpoints.make(workspace_id, receiver.url(f"/ok/lag/{number}"), (template_id,))
    for name in ("late", "never"):
        endpoints.make(workspace_id, receiver.url(f"/{name}/"))
    return template_ids


def _end_renders(
    stack: RunningStack, workspace_id: WorkspaceId, template_ids: list[str], number_of_events: int
) -> list[_EndedRender]:
    """End renders at their times, however long the others take."""
    clients = bench_clients(stack)
    final_renders = FinalRenders(stack, clients)
    queue = Queue(clients, stack.resources["EventsQueue"]["Ref"])

    def end(number: int) -> _EndedRender:
        render = final_renders.copy(
            workspace_id=workspace_id,
            template_id=template_ids[number % len(template_ids)],
            template_version=1,
        )
        message = final_renders.write(render)
        queue.send(message.to_json(), group=render.workspace_id)
        assert render.completed_at is not None
        event_id = message.sort_key.rpartition("#")[2]
        return _EndedRender(event_id, parse_rfc3339(render.completed_at).timestamp())

    started = time.monotonic()
    ending: list[Future[_EndedRender]] = []
    with ThreadPoolExecutor(32) as threads:
        for number in range(number_of_events):
            time.sleep(max(0.0, started + number / EVENTS_PER_SECOND - time.monotonic()))
            ending.append(threads.submit(end, number))
    return [each.result() for each in ending]
