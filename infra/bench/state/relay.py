"""Benchmark: rate and delay of the outbox relay.

`make bench NAME=relay`: renders with unpublished events, whose messages become visible all at once;
measured are events per second from the first to the last published one: 2 000 async renders of one
workspace, which the relay settles, as those of a batch; 1 000 sync renders of as many workspaces;
and fewer of the costlier kind. Then sync renders over HTTP, one after the other, with the time from
each final state to its published event.
"""

import datetime as dt
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import batched
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.clock import SystemClock, format_rfc3339, parse_rfc3339
from chalicelib.core.ids import RandomIdGenerator, RenderId, WorkspaceId
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import body_key
from infra.bench.latency import BenchClient
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 100
BATCH_LIMIT: Final = 500
BATCH_EVENTS: Final = 2_000
QUEUED_EVENTS: Final = 1_000
RENDERS: Final = 60
# All messages are sent within this delay, at whose end they become visible together.
_DELAY_S: Final = 20
_TIMEOUT_S: Final = 120.0
_BODY: Final = {"input": {"type": "html", "html": "<p>x</p>"}}


def main() -> int:
    """Print the table and the rate; 1 when it is under the limit."""
    with running_stack() as stack:
        clients = _clients(stack)
        tables = Tables(clients)
        batch = _events_per_second(stack, tables, _EventMix(BATCH_EVENTS, of_batch=True))
        rate = _events_per_second(stack, tables, _EventMix(QUEUED_EVENTS, workspaces=QUEUED_EVENTS))
        worst = _events_per_second(
            stack, tables, _EventMix(QUEUED_EVENTS // 5, settled=False, bodies=True)
        )
        lags = _lags(stack, tables)
    p50, p99 = statistics.median(lags), statistics.quantiles(lags, n=100)[-1]
    sys.stdout.write(
        f"{BATCH_EVENTS} events of a batch: {batch:.0f} events/s (limit {BATCH_LIMIT}, at least)\n"
    )
    sys.stdout.write(
        f"of one workspace, with bodies to delete, not settled: {worst:.0f} events/s\n"
    )
    sys.stdout.write(f"final state to published event, ms: p50 {p50:.0f}, p99 {p99:.0f}\n")
    sys.stdout.write(f"{QUEUED_EVENTS} events of as many workspaces:\n")
    sys.stdout.write(f"relay: {rate:.0f} events/s (limit {LIMIT}, at least)\n")
    return int(rate < LIMIT or batch < BATCH_LIMIT)


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


def _clients(stack: RunningStack) -> AwsClients:
    clients = AwsClients()
    for name in ("dynamodb", "sqs"):
        setattr(clients, name, stack.client(name))
    return clients


def _queue_events(stack: RunningStack, tables: Tables, mix: _EventMix) -> list[PublishEvent]:
    """Create final renders with unpublished events; send the messages with a delay."""
    table = stack.resources["MainTable"]["Ref"]
    renders, outbox = Renders(tables, table, SystemClock()), EventOutbox(tables, table)
    model = _render_once(stack, renders)

    def create(number: int) -> PublishEvent:
        render = _copy_render(model, with_body=mix.bodies)
        if mix.workspaces > 1:
            name = f"{number % mix.workspaces:026d}"
            render = render._replace(workspace_id=WorkspaceId(f"ws_{name}"))
        if mix.of_batch:
            reservation = render.reservation._replace(is_settled_by_relay=True)
            render = render._replace(reservation=reservation)
        event = final_event(render, SystemClock().now())
        # A century later: maintenance must not touch these renders.
        far_future = render.created_at.replace("20", "21", 1)
        tables.transact(
            [
                renders.creation(render, due_at=far_future, claimed_until=far_future),
                outbox.creation(event),
            ]
        )
        return PublishEvent.of_event(event, settled=mix.settled)

    with ThreadPoolExecutor(8) as threads:
        events = list(threads.map(create, range(mix.number)))
    sqs = stack.client("sqs")
    started = time.monotonic()
    for messages in batched(events, 10, strict=True):
        entries = [
            {
                "Id": str(n),
                "MessageBody": json.dumps(message.to_json()),
                "MessageGroupId": "bench",
                "DelaySeconds": max(0, round(_DELAY_S - time.monotonic() + started)),
            }
            for n, message in enumerate(messages)
        ]
        sqs.send_message_batch(QueueUrl=stack.resources["EventsQueue"]["Ref"], Entries=entries)
    assert time.monotonic() - started < _DELAY_S, "the messages were not sent in time"
    return events


def _render_once(stack: RunningStack, renders: Renders) -> Render:
    """Render once through the API and return the row."""
    response = json.loads(BenchClient(stack).render(json.dumps(_BODY).encode()))
    render = renders.get(WorkspaceId(stack.workspace), RenderId(response["id"]))
    assert render is not None
    return render


def _copy_render(model: Render, *, with_body: bool) -> Render:
    """Return a copy of a render with a new id; its file and body do not exist."""
    now = SystemClock().now()
    render_id = RenderId(RandomIdGenerator().new("rnd", now))
    key = f"ws/{model.workspace_id}/files/{render_id}/1-0.pdf"
    return model._replace(
        id=render_id,
        created_at=format_rfc3339(now),
        files=tuple(file._replace(key=key) for file in model.files),
        body_key=body_key(model.workspace_id, render_id) if with_body else None,
    )


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
    renders = [json.loads(client.render(json.dumps(_BODY).encode())) for _ in range(RENDERS)]
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
