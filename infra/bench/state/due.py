"""Benchmark: how late the items of one kind leave while very many of another kind are due.

`make bench NAME=due`: 19 990 items of one kind have been due for minutes, ten of a second kind
become due as the tick begins. Both kinds are as the service has them, in the table and the queues
of a running stack; measured is when the tenth of the second kind arrives in its queue.
"""

import datetime as dt
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import batched
from typing import Any, Final

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import TRANSACTION_LIMIT, Tables, Write
from chalicelib.adapters.metrics import Metrics
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.features.maintenance.due_index import DueIndex
from chalicelib.features.maintenance.tick import DueRoute, Tick
from infra.local.running_stack import RunningStack, running_stack

LIMIT_S: Final = 2.0
MANY: Final = 19_990
FEW: Final = 10
# No function of the stack knows these kinds.
_MANY_KIND: Final = DueKind("bench_many", shards=8)
_FEW_KIND: Final = DueKind("bench_few", shards=8)


def main() -> int:
    """Print the table and the lateness; 1 when it is over the limit."""
    with running_stack() as stack:
        clients = AwsClients()
        for name in ("dynamodb", "sqs"):
            setattr(clients, name, stack.client(name))
        lateness_s, handed, seconds = _measure(stack, clients)
    sys.stdout.write(f"{handed} of {MANY + FEW} items handed out in {seconds:.1f} s: ")
    sys.stdout.write(f"{handed / seconds:.0f} items/s\n")
    sys.stdout.write(f"due: {lateness_s:.2f} s (limit {LIMIT_S})\n")
    return int(lateness_s > LIMIT_S)


def _measure(stack: RunningStack, clients: AwsClients) -> tuple[float, int, float]:
    """Return the lateness of the last of the few, and the items and seconds of the tick."""
    table = stack.resources["MainTable"]["Ref"]
    tables = Tables(clients)
    now = SystemClock().now()
    _write_items(tables, table, _MANY_KIND, MANY, now - dt.timedelta(minutes=5))
    _write_items(tables, table, _FEW_KIND, FEW, SystemClock().now())
    urls = {
        kind.name: clients.sqs.create_queue(QueueName=kind.name)["QueueUrl"]
        for kind in (_MANY_KIND, _FEW_KIND)
    }
    tick = Tick(
        index=DueIndex(tables, table),
        routes=[
            DueRoute(kind, Queue(clients, urls[kind.name]), DueItem.to_json)
            for kind in (_MANY_KIND, _FEW_KIND)
        ],
        metrics=Metrics("bench", "tick"),
        clock=SystemClock(),
    )
    with ThreadPoolExecutor(1) as thread:
        started = time.monotonic()
        arrival = thread.submit(_wait_for_messages, clients, urls[_FEW_KIND.name])
        handed = tick()
        return arrival.result() - started, handed, time.monotonic() - started


def _write_items(
    tables: Tables, table: str, kind: DueKind, count: int, due_at: dt.datetime
) -> None:
    ids = RandomIdGenerator()

    def item(number: int) -> Mapping[str, Any]:
        name = ids.new("rnd", due_at)
        at = format_rfc3339(due_at - dt.timedelta(milliseconds=number % 1_000))
        return {
            "PK": f"WS#bench#RND#{name}",
            "SK": "META",
            "due_at": at,
            "DPK": kind.partition(name),
        }

    with ThreadPoolExecutor(8) as threads:
        for written in threads.map(
            tables.transact,
            (
                [Write(table, item=dict(item(number))) for number in numbers]
                for numbers in batched(range(count), TRANSACTION_LIMIT, strict=False)
            ),
        ):
            assert written is None


def _wait_for_messages(clients: AwsClients, url: str) -> float:
    """Return when the last of the few messages was received."""
    received = 0
    while received < FEW:
        answer = clients.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1
        )
        received += len(answer.get("Messages", []))
    return time.monotonic()
