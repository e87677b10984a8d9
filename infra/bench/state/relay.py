"""Benchmark: rate and delay of the outbox relay.

`make bench NAME=relay`: renders with unpublished events, whose messages become visible all at once;
measured are events per second from the first to the last published one: 2 000 async renders of one
workspace, which the relay settles, as those of a batch; 1 000 sync renders of as many workspaces;
and fewer of the costlier kind. Then sync renders over HTTP, one after the other, with the time from
each final state to its published event. At last 1 000 events of a workspace with two endpoints; the
queue of webhooks is delayed, so that the machine's cores are the relay's.
"""

import datetime as dt
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import batched
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import SystemClock, parse_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.events.model import PublishEvent
from infra.bench.latency import BenchClient
from infra.bench.state.final_renders import (
    SMALL_RENDER,
    FinalRenders,
    bench_clients,
    send_together,
)
from infra.bench.webhooks.endpoints import BenchEndpoints
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 100
BATCH_LIMIT: Final = 500
BATCH_EVENTS: Final = 2_000
QUEUED_EVENTS: Final = 1_000
HEARD_LIMIT: Final = 60
HEARD_EVENTS: Final = 1_000
ENDPOINTS: Final = 2
RENDERS: Final = 60
# All messages are sent within this delay, at whose end they become visible together.
_DELAY: Final = dt.timedelta(seconds=20)
_WEBHOOKS_DELAY_S: Final = 600
_TIMEOUT_S: Final = 120.0


def main() -> int:
    """Print the table and the rate; 1 when it is under the limit."""
    with running_stack() as stack:
        tables = Tables(bench_clients(stack))
        batch = _events_per_second(stack, tables, _EventMix(BATCH_EVENTS, of_batch=True))
        rate = _events_per_second(stack, tables, _EventMix(QUEUED_EVENTS, workspaces=QUEUED_EVENTS))
        worst = _events_per_second(
            stack, tables, _EventMix(QUEUED_EVENTS // 5, settled=False, bodies=True)
        )
        lags = _lags(stack, tables)
        heard = _heard_events_per_second(stack, tables)
    p50, p99 = statistics.median(lags), statistics.quantiles(lags, n=100)[-1]
    rows = (
        f"{BATCH_EVENTS} events of a batch: {batch:.0f} events/s (limit {BATCH_LIMIT}, at least)",
        f"of one workspace, with bodies to delete, not settled: {worst:.0f} events/s",
        f"final state to published event, ms: p50 {p50:.0f}, p99 {p99:.0f}",
        f"with {ENDPOINTS} endpoints: {heard:.0f} events/s (limit {HEARD_LIMIT}, at least)",
        f"{QUEUED_EVENTS} events of as many workspaces:",
        f"relay: {rate:.0f} events/s (limit {LIMIT}, at least)",
    )
    sys.stdout.write("\n".join(rows) + "\n")
    return int(rate < LIMIT or batch < BATCH_LIMIT or heard < HEARD_LIMIT)


class _EventMix(NamedTuple):
    """Events of a measurement."""

    number: int
    workspaces: int = 1
    settled: bool = True
    bodies: bool = False
    of_batch: bool = False


def _events_per_second(stack: RunningStack, tables: Tables, mix: _EventMix) -> float:
    """Return the published events per second of events that wait together."""
    events = _queue_events(stack, tables, mix)
    times = sorted(_publication_times(stack, tables, events))
    return (len(times) - 1) / (times[-1] - times[0]).total_seconds()


def _heard_events_per_second(stack: RunningStack, tables: Tables) -> float:
    """Return the published events per second with endpoints."""
    endpoints = BenchEndpoints(stack)
    for _ in range(ENDPOINTS):
        endpoints.make(WorkspaceId(stack.workspace), "http://127.0.0.1:9/")
    queue_url = stack.resources["WebhooksQueue"]["Ref"]
    stack.client("sqs").set_queue_attributes(
        QueueUrl=queue_url, Attributes={"DelaySeconds": str(_WEBHOOKS_DELAY_S)}
    )
    return _events_per_second(stack, tables, _EventMix(HEARD_EVENTS))


def _queue_events(stack: RunningStack, tables: Tables, mix: _EventMix) -> list[PublishEvent]:
    """Create final renders with unpublished events; send the messages with a delay."""
    final_renders = FinalRenders(stack, tables)

    def create(number: int) -> PublishEvent:
        render = final_renders.copy(with_body=mix.bodies)
        if mix.workspaces > 1:
            name = f"{number % mix.workspaces:026d}"
            render = render._replace(workspace_id=WorkspaceId(f"ws_{name}"))
        if mix.of_batch:
            reservation = render.reservation._replace(is_settled_by_relay=True)
            render = render._replace(reservation=reservation)
        return final_renders.write(render, settled=mix.settled)

    with ThreadPoolExecutor(8) as threads:
        events = list(threads.map(create, range(mix.number)))
    queue_url = stack.resources["EventsQueue"]["Ref"]
    visible_at = SystemClock().now() + _DELAY
    send_together(stack.client("sqs"), queue_url, [event.to_json() for event in events], visible_at)
    return events


def _publication_times(
    stack: RunningStack, tables: Tables, events: list[PublishEvent]
) -> list[dt.datetime]:
    """Wait until all events are published; return the times of their publication."""
    table = stack.resources["MainTable"]["Ref"]
    published: dict[str, dt.datetime] = {}
    deadline = time.monotonic() + _TIMEOUT_S
    while len(published) < len(events):
        assert time.monotonic() < deadline, f"{len(published)} events were published"
        # A long interval, so that polling does not slow down the relay.
        time.sleep(2)
        pending = [event for event in events if event.subject not in published]
        for batch in batched(pending, 100, strict=False):
            rows = tables.get_many(table, [(event.subject, event.sort_key) for event in batch])
            published |= {
                row["PK"]: parse_rfc3339(row["published_at"])
                for row in rows
                if "published_at" in row
            }
    return list(published.values())


def _lags(stack: RunningStack, tables: Tables) -> list[float]:
    """Render over HTTP in sequence; return the milliseconds until each event was published."""
    client = BenchClient(stack)
    renders = [json.loads(client.render(json.dumps(SMALL_RENDER).encode())) for _ in range(RENDERS)]
    time.sleep(2)
    return [_lag(stack, tables, render) for render in renders]


def _lag(stack: RunningStack, tables: Tables, render: dict[str, Any]) -> float:
    page = tables.query(
        stack.resources["MainTable"]["Ref"],
        "PK = :pk AND begins_with(SK, :prefix)",
        {":pk": f"WS#{stack.workspace}#RND#{render['id']}", ":prefix": "EVENT#"},
    )
    (event,) = page.items
    lag = parse_rfc3339(event["published_at"]) - parse_rfc3339(render["completed_at"])
    return 1000 * lag.total_seconds()
