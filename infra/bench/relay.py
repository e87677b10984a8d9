"""How fast facts are told.

`make bench NAME=relay`: 1 000 renders with untold facts, whose messages become visible all at once;
facts per second from the first to the last that is told; then fewer of the dearer kind. Then sync
renders over HTTP, one after the other, and the time from each one's final state to its told fact.
"""

import datetime as dt
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import batched
from typing import Any, Final

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
QUEUED_EVENTS: Final = 1_000
RENDERS: Final = 60
# All messages are sent within it; then they become visible together.
_DELAY_S: Final = 20
_TIMEOUT_S: Final = 120.0
_BODY: Final = {"input": {"type": "html", "html": "<p>x</p>"}}


def main() -> int:
    """Print the table and the rate; 1 when it is under the limit."""
    with running_stack() as stack:
        clients = _clients(stack)
        tables = Tables(clients)
        rate = _events_per_second(stack, tables, QUEUED_EVENTS, settled=True, bodies=False)
        worst = _events_per_second(stack, tables, QUEUED_EVENTS // 5, settled=False, bodies=True)
        lags = _lags(stack, tables)
    p50, p99 = statistics.median(lags), statistics.quantiles(lags, n=100)[-1]
    sys.stdout.write(f"{QUEUED_EVENTS} facts of sync renders: {rate:.0f} facts/s\n")
    sys.stdout.write(f"with bodies to delete, and not settled: {worst:.0f} facts/s\n")
    sys.stdout.write(f"final state to told fact, ms: p50 {p50:.0f}, p99 {p99:.0f}\n")
    sys.stdout.write(f"relay: {rate:.0f} facts/s (limit {LIMIT}, at least)\n")
    return int(rate < LIMIT)


def _events_per_second(
    stack: RunningStack, tables: Tables, count: int, *, settled: bool, bodies: bool
) -> float:
    """Return how many facts a second are told of those that wait together."""
    facts = _queue_events(stack, tables, count, settled=settled, bodies=bodies)
    told = sorted(_publication_times(stack, tables, facts))
    return (len(told) - 1) / (told[-1] - told[0]).total_seconds()


def _clients(stack: RunningStack) -> AwsClients:
    clients = AwsClients()
    for name in ("dynamodb", "sqs"):
        setattr(clients, name, stack.client(name))
    return clients


def _queue_events(
    stack: RunningStack, tables: Tables, count: int, *, settled: bool, bodies: bool
) -> list[PublishEvent]:
    """Make final renders with untold facts, and send the facts' messages with a delay."""
    table = stack.resources["MainTable"]["Ref"]
    renders, facts = Renders(tables, table), EventOutbox(tables, table)
    model = _render_once(stack, renders)

    def make(_number: int) -> PublishEvent:
        render = _copy_render(model, with_body=bodies)
        fact = final_event(render, SystemClock().now())
        far = render.created_at.replace("20", "21", 1)
        tables.transact(
            [
                renders.creation(render, due_at=far, claimed_until=far),
                facts.creation(fact),
            ]
        )
        return PublishEvent.of_event(fact, settled=settled)

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(make, range(count)))
    sqs = stack.client("sqs")
    begun = time.monotonic()
    for messages in batched(made, 10, strict=True):
        entries = [
            {
                "Id": str(n),
                "MessageBody": json.dumps(message.to_json()),
                "DelaySeconds": max(0, round(_DELAY_S - time.monotonic() + begun)),
            }
            for n, message in enumerate(messages)
        ]
        sqs.send_message_batch(QueueUrl=stack.resources["EventsQueue"]["Ref"], Entries=entries)
    assert time.monotonic() - begun < _DELAY_S, "the messages were not sent in time"
    return made


def _render_once(stack: RunningStack, renders: Renders) -> Render:
    """Return a render as the service itself makes it."""
    shown = json.loads(BenchClient(stack).render(json.dumps(_BODY).encode()))
    render = renders.get(WorkspaceId(stack.workspace), RenderId(shown["id"]))
    assert render is not None, "a render that has been made is there"
    return render


def _copy_render(model: Render, *, with_body: bool) -> Render:
    """Return another render with the same course, whose file and body need not be there."""
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
    """Wait until all facts are told; return when each was."""
    table = stack.resources["MainTable"]["Ref"]
    told: dict[str, dt.datetime] = {}
    deadline = time.monotonic() + _TIMEOUT_S
    while len(told) < len(events):
        assert time.monotonic() < deadline, f"{len(told)} facts were told"
        # Looking is not to slow down what is looked at.
        time.sleep(2)
        open_facts = [fact for fact in events if fact.subject not in told]
        for some in batched(open_facts, 100, strict=False):
            rows = tables.get_many(table, [(fact.subject, fact.sort_key) for fact in some])
            told |= {
                row["PK"]: parse_rfc3339(row["published_at"])
                for row in rows
                if "published_at" in row
            }
    return list(told.values())


def _lags(stack: RunningStack, tables: Tables) -> list[float]:
    """Render over HTTP, one after the other; return the milliseconds until each fact was told."""
    client = BenchClient(stack)
    shown = [json.loads(client.render(json.dumps(_BODY).encode())) for _ in range(RENDERS)]
    time.sleep(2)
    return [_lag(stack, tables, render) for render in shown]


def _lag(stack: RunningStack, tables: Tables, render: dict[str, Any]) -> float:
    page = tables.query(
        stack.resources["MainTable"]["Ref"],
        "PK = :pk AND begins_with(SK, :fact)",
        {":pk": f"WS#{stack.workspace}#RND#{render['id']}", ":fact": "EVENT#"},
    )
    (fact,) = page.items
    lag = parse_rfc3339(fact["published_at"]) - parse_rfc3339(render["completed_at"])
    return 1000 * lag.total_seconds()
