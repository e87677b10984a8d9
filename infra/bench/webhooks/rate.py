"""Benchmark: rate and AWS calls of deliveries to receivers that answer at once.

`make bench NAME=webhooks`: 1 000 deliveries wait, whose messages become visible together; measured
are deliveries per second from the first arrival to the last. They are of four workspaces with five
endpoints each; then of one workspace, 100 events with ten endpoints each, which the relay publishes
meanwhile; then all of one endpoint. Calls are counted in this process by botocore hooks, on queues
that no poller reads, for batches of ten messages in the same two mixes; the function also deletes
its messages, which is not counted, as Lambda would do it, nor is the call of KMS with which a
process opens an endpoint's secret once in five minutes.
"""

import datetime as dt
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import replace
from functools import partial
from importlib import import_module
from itertools import batched, cycle, islice
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.table import Tables
from chalicelib.bootstrap.work import WORK
from chalicelib.bootstrap.work_function import WorkParts
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.ids import DeliveryId, RandomIdGenerator, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.present import render_json_without_urls
from chalicelib.features.webhooks.deliveries import Deliveries
from chalicelib.features.webhooks.message import DeliverWebhook
from chalicelib.features.webhooks.model import WebhookDelivery, WebhookEndpoint
from chalicelib.features.webhooks.subscribe import event_body
from chalicelib.settings import WorkSettings
from infra.bench.counting_clients import CountingClients
from infra.bench.in_process import environment
from infra.bench.state.final_renders import FinalRenders, bench_clients, send_together
from infra.bench.webhooks.endpoints import BenchEndpoints
from infra.bench.webhooks.receiver import BenchReceiver, bench_receiver
from infra.local.event_sources import sqs_event
from infra.local.running_stack import RunningStack, running_stack

RATE_LIMIT: Final = 50
CALLS_LIMIT: Final = 5.0
DELIVERIES: Final = 1_000
WORKSPACES: Final = 4
ENDPOINTS: Final = 5
EVENTS: Final = 100
ENDPOINTS_OF_EVENT: Final = 10
COUNTED: Final = 200
_TIMEOUT_S: Final = 180.0
_BATCH: Final = 10
# All rows and messages are written within these times.
_DELAY: Final = dt.timedelta(seconds=30)
_EVENTS_DELAY: Final = dt.timedelta(seconds=4)
# Calls that Lambda would make.
_NOT_COUNTED: Final = ("DeleteMessage",)


class _Figures(NamedTuple):
    """Deliveries per second of a mix, and the calls of one delivery by service and operation."""

    rate: float
    calls: Mapping[str, float]


def main() -> int:
    """Print the table and the rate of the first mix; 1 when a limit is not met."""
    with (
        bench_receiver() as receiver,
        running_stack(PLATEN_EGRESS_ALLOW=receiver.egress_exemption) as stack,
    ):
        bench = _Bench(stack, receiver)
        spread = bench.spread()
        fan_out = bench.fan_out()
        one = bench.of_one_endpoint()
    rows = (
        (f"{WORKSPACES} workspaces, {ENDPOINTS} endpoints each", spread),
        (f"{EVENTS} events, {ENDPOINTS_OF_EVENT} endpoints each", fan_out),
        ("all of one endpoint", one),
    )
    for name, figures in rows:
        total = sum(figures.calls.values())
        sys.stdout.write(f"{name}: {figures.rate:.0f} deliveries/s")
        sys.stdout.write(f", {total:.2f} calls a delivery (limit {CALLS_LIMIT})\n")
        for call, count in figures.calls.items():
            sys.stdout.write(f"  {call:<30}{count:.2f}\n")
    rate = min(figures.rate for _, figures in rows[:2])
    most = max(sum(figures.calls.values()) for _, figures in rows)
    sys.stdout.write(f"webhooks: {rate:.0f} deliveries/s (limit {RATE_LIMIT}, at least)\n")
    return int(rate < RATE_LIMIT or most > CALLS_LIMIT)


class _Bench:
    """Deliveries on a running stack, and in this process, where their calls are counted."""

    def __init__(self, stack: RunningStack, receiver: BenchReceiver) -> None:
        self._stack = stack
        self._receiver = receiver
        clients = bench_clients(stack)
        self._tables = Tables(clients)
        self._table = stack.resources["MainTable"]["Ref"]
        self._deliveries = Deliveries(self._tables, self._table)
        self._renders = FinalRenders(stack, self._tables)
        self._endpoints = BenchEndpoints(stack)
        self._counted = _CountedDeliveries(stack)

    def spread(self) -> _Figures:
        """Measure deliveries of several workspaces."""
        return self._waiting("spread", self._make_endpoints("spread", WORKSPACES, ENDPOINTS))

    def of_one_endpoint(self) -> _Figures:
        """Measure deliveries of one endpoint."""
        return self._waiting("one", self._make_endpoints("one", 1, 1))

    def fan_out(self) -> _Figures:
        """Measure deliveries of events, which the relay makes."""
        endpoints = self._make_endpoints("fan-out", 1, ENDPOINTS_OF_EVENT)
        workspace_id = endpoints[0].workspace_id
        calls = self._calls(endpoints)

        def write(_: int) -> Mapping[str, Any]:
            render = replace(self._renders.copy(), workspace_id=workspace_id)
            return self._renders.write(render).to_json()

        with ThreadPoolExecutor(8) as threads:
            messages = list(threads.map(write, range(EVENTS)))
        visible_at = SystemClock().now() + _EVENTS_DELAY
        return _Figures(self._rate("fan-out", "EventsQueue", messages, visible_at), calls)

    def _waiting(self, name: str, endpoints: Sequence[WebhookEndpoint]) -> _Figures:
        """Measure deliveries that are there, to each endpoint in turn."""
        calls = self._calls(endpoints)
        visible_at = SystemClock().now() + _DELAY
        # A queue delays by whole seconds.
        new_delivery = partial(self._new_delivery, due_at=visible_at - dt.timedelta(seconds=1))
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(new_delivery, self._in_turn(endpoints, DELIVERIES)))
        messages = [_message(each) for each in made]
        return _Figures(self._rate(name, "WebhooksQueue", messages, visible_at), calls)

    def _calls(self, endpoints: Sequence[WebhookEndpoint]) -> Mapping[str, float]:
        opening = [self._new_delivery(each) for each in endpoints]
        counted = [self._new_delivery(each) for each in self._in_turn(endpoints, COUNTED)]
        return self._counted.calls(opening, counted)

    def _rate(
        self,
        name: str,
        queue: str,
        messages: Sequence[Mapping[str, Any]],
        visible_at: dt.datetime,
    ) -> float:
        """Return the arrivals per second after messages have become visible."""
        before = len(self._receiver.arrivals(f"/ok/{name}/"))
        queue_url = self._stack.resources[queue]["Ref"]
        send_together(self._stack.client("sqs"), queue_url, messages, visible_at)
        arrivals = self._receiver.wait_for(f"/ok/{name}/", before + DELIVERIES, _TIMEOUT_S)
        measured = arrivals[before:]
        return (len(measured) - 1) / (measured[-1].at - measured[0].at)

    def _make_endpoints(self, name: str, workspaces: int, number: int) -> list[WebhookEndpoint]:
        """Make endpoints; those of different workspaces take turns."""
        ids = RandomIdGenerator()
        owners = [WorkspaceId(ids.new("ws", SystemClock().now())) for _ in range(workspaces)]
        return [
            self._endpoints.make(owner, self._receiver.url(f"/ok/{name}/{place}"))
            for place in range(number)
            for owner in owners
        ]

    @staticmethod
    def _in_turn(endpoints: Sequence[WebhookEndpoint], number: int) -> Iterator[WebhookEndpoint]:
        return islice(cycle(endpoints), number)

    def _new_delivery(
        self, endpoint: WebhookEndpoint, due_at: dt.datetime | None = None
    ) -> WebhookDelivery:
        """Write a delivery of the end of a render, due now or later, without its message."""
        ids, now = RandomIdGenerator(), SystemClock().now()
        render = replace(self._renders.copy(), workspace_id=endpoint.workspace_id)
        body = event_body(final_event(render, now), render_json_without_urls(render), "eu")
        delivery = WebhookDelivery(
            id=DeliveryId(ids.new("whd", now)),
            workspace_id=endpoint.workspace_id,
            endpoint_id=endpoint.id,
            event_id=str(body["id"]),
            event_type=str(body["type"]),
            status="pending",
            test=False,
            created_at=format_rfc3339(now),
            request_id=render.request_id,
            payload=json.dumps(body),
            payload_key=None,
            next_attempt_at=format_rfc3339(due_at or now),
        )
        self._deliveries.create(delivery)
        return delivery


def _message(delivery: WebhookDelivery) -> JsonObject:
    named = DeliverWebhook(delivery.workspace_id, delivery.id, delivery.request_id)
    return named.to_json()


class _CountedDeliveries:
    """Function that delivers webhooks, in this process, with a count of its calls."""

    def __init__(self, stack: RunningStack) -> None:
        self._sqs = stack.client("sqs")
        self._queue = self._sqs.create_queue(QueueName="counted")["QueueUrl"]
        variables = environment(stack, "functions.deliver_webhook.handler.handler")
        os.environ.update({k: v for k, v in variables.items() if k.startswith("AWS_")})
        row = WORK["deliver_webhook"]
        own = {"PLATEN_WEBHOOKS_QUEUE_URL": self._queue}
        settings = WorkSettings.with_names(row.all_settings, variables | own)
        self._counts: Counter[str] = Counter()
        clients = CountingClients("", self._counts)
        parts = WorkParts(row, settings, clients, SystemClock())
        # Imported by name, as Lambda does.
        self._serve = import_module("functions.deliver_webhook.handler").build(parts)

    def calls(
        self, opening: Sequence[WebhookDelivery], deliveries: Sequence[WebhookDelivery]
    ) -> Mapping[str, float]:
        """Make the attempts of deliveries in batches, and return the calls of one of them.

        Those of `opening` come first and are not counted: they open the secrets.
        """
        self._serve_all(opening)
        self._counts.clear()
        self._serve_all(deliveries)
        counts = {name.strip(): n / len(deliveries) for name, n in self._counts.items()}
        return {name: n for name, n in counts.items() if name not in _NOT_COUNTED}

    def _serve_all(self, deliveries: Sequence[WebhookDelivery]) -> None:
        for batch in batched(deliveries, _BATCH, strict=False):
            records = [self._received_count(each) for each in batch]
            answer = self._serve(sqs_event(records, "arn:aws:sqs:us-east-1:0:counted"))
            assert answer == {"batchItemFailures": []}, answer

    def _received_count(self, delivery: WebhookDelivery) -> Mapping[str, Any]:
        """Send a message and return it as it is received."""
        self._sqs.send_message(QueueUrl=self._queue, MessageBody=json.dumps(_message(delivery)))
        received = self._sqs.receive_message(
            QueueUrl=self._queue, WaitTimeSeconds=5, MessageSystemAttributeNames=["All"]
        )
        message: Mapping[str, Any] = received["Messages"][0]
        return message
