"""Benchmark: time from the end of a render to the first attempt of its webhook.

`make bench NAME=webhook-lag`: 300 renders end, five a second in open loop, in one workspace with 52
endpoints. Each event is heard by one of 50 healthy endpoints, by an endpoint that answers after
9.9 s, and by one that never answers; the stack has seen none of them before. Measured is the time
from `completed_at` of the render in the payload's event to the arrival at the healthy receiver;
both clocks are this machine's. The renders are final rows, written with their events and their
messages as the render function does, so that no browser takes part: measured is what follows the
final state.
"""

import statistics
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, NamedTuple

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import SystemClock, parse_rfc3339
from chalicelib.core.ids import RandomIdGenerator, WorkspaceId
from infra.bench.state.final_renders import FinalRenders, bench_clients
from infra.bench.webhooks.endpoints import BenchEndpoints
from infra.bench.webhooks.receiver import BenchReceiver, bench_receiver
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 2.0
EVENTS: Final = 300
EVENTS_PER_SECOND: Final = 5
HEALTHY: Final = 50
_TIMEOUT_S: Final = 120.0


class _EndedRender(NamedTuple):
    """Id of the event of a render, and the Unix time of its end."""

    event_id: str
    ended_at: float


def main() -> int:
    """Print the table and p99 in seconds; 1 when it is over the limit."""
    with (
        bench_receiver() as receiver,
        running_stack(PLATEN_EGRESS_ALLOW=receiver.egress_exemption) as stack,
    ):
        template_ids = _make_endpoints(stack, receiver)
        ended = _end_renders(stack, template_ids)
        arrivals = receiver.wait_for("/ok/", EVENTS, _TIMEOUT_S)
        others = {name: len(receiver.arrivals(f"/{name}/")) for name in ("late", "never")}
    arrived_at = {each.event_id: each.at for each in arrivals}
    lags = sorted(arrived_at[each.event_id] - each.ended_at for each in ended)
    quantiles = statistics.quantiles(lags, n=100)
    p99 = quantiles[-1]
    sys.stdout.write(
        f"{EVENTS} events, {EVENTS_PER_SECOND} a second, {HEALTHY} healthy endpoints\n"
        f"also heard by one that answers after 9.9 s ({others['late']} first attempts so far)\n"
        f"and by one that never answers ({others['never']} first attempts so far)\n"
        f"final state to first attempt, s: p50 {quantiles[49]:.2f}, p90 {quantiles[89]:.2f},"
        f" p99 {p99:.2f}, longest {lags[-1]:.2f}\n"
        f"webhook-lag: {p99:.2f} (limit {LIMIT})\n"
    )
    return int(p99 > LIMIT)


def _make_endpoints(stack: RunningStack, receiver: BenchReceiver) -> list[str]:
    """Make all endpoints, and return the templates that distinguish the healthy ones."""
    endpoints, ids = BenchEndpoints(stack), RandomIdGenerator()
    workspace_id = WorkspaceId(stack.workspace)
    template_ids = [ids.new("tpl", SystemClock().now()) for _ in range(HEALTHY)]
    for number, template_id in enumerate(template_ids):
        endpoints.make(workspace_id, receiver.url(f"/ok/{number}"), (template_id,))
    for name in ("late", "never"):
        endpoints.make(workspace_id, receiver.url(f"/{name}/"))
    return template_ids


def _end_renders(stack: RunningStack, template_ids: list[str]) -> list[_EndedRender]:
    """End renders at their times, however long the others take."""
    clients = bench_clients(stack)
    final_renders = FinalRenders(stack, Tables(clients))
    queue = Queue(clients, stack.resources["EventsQueue"]["Ref"])

    def end(number: int) -> _EndedRender:
        template_id = template_ids[number % len(template_ids)]
        render = final_renders.copy(template_id=template_id, template_version=1)
        message = final_renders.write(render)
        queue.send(message.to_json(), group=render.workspace_id)
        assert render.completed_at is not None
        event_id = message.sort_key.rpartition("#")[2]
        return _EndedRender(event_id, parse_rfc3339(render.completed_at).timestamp())

    started = time.monotonic()
    ending: list[Future[_EndedRender]] = []
    with ThreadPoolExecutor(32) as threads:
        for number in range(EVENTS):
            time.sleep(max(0.0, started + number / EVENTS_PER_SECOND - time.monotonic()))
            ending.append(threads.submit(end, number))
    return [each.result() for each in ending]
