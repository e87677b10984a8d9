"""Benchmark: rate and AWS calls of deliveries to receivers that answer at once (decision 38).

Deliveries wait, whose messages become visible together; measured are deliveries per second from the
first arrival to the last. They are of four workspaces with five endpoints each; then of one
workspace, events with ten endpoints each, which the relay publishes meanwhile; then all of one
endpoint. Calls are counted in this process by botocore hooks, on queues that no poller reads, for
batches of ten messages in the same mixes; the function also deletes its messages, which is not
counted, as Lambda would do it, nor is the call of KMS with which a process opens an endpoint's
secret once in five minutes.
"""

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle, islice
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.ids import DeliveryId, RandomIdGenerator, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.present import render_json_without_urls
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.subscribe import event_body
from infra.bench.final_renders import FinalRenders, bench_clients, send_together
from infra.bench.functions import CountedFunction, counted_function
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.webhooks.endpoints import BenchEndpoints

LIMIT: Final = Limit(50, at_least=True, unit="/s")
CALLS_LIMIT: Final = Limit(5.0)
WORKSPACES: Final = 4
ENDPOINTS: Final = 5
ENDPOINTS_OF_EVENT: Final = 10


class Size(NamedTuple):
    """Deliveries of a mix, and those whose calls are counted.

    All rows and messages of a mix are written within the delay, in seconds.
    """

    deliveries: int
    counted: int
    delay_s: int


FULL: Final = Size(deliveries=1_000, counted=200, delay_s=30)
SMOKE: Final = Size(deliveries=10, counted=1, delay_s=1)
_TIMEOUT_S: Final = 180.0


class _Figures(NamedTuple):
    """Deliveries per second of a mix, and the calls of one delivery by operation."""

    rate: float
    calls: Mapping[str, float]


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the lower rate of the first two mixes."""
    with counted_function(parts.stack, "deliver_webhook") as function:
        bench = _Bench(parts, function, size)
        events = size.deliveries // ENDPOINTS_OF_EVENT
        mixes = {
            f"{WORKSPACES} workspaces, {ENDPOINTS} endpoints each": bench.spread(),
            f"{events} events, {ENDPOINTS_OF_EVENT} endpoints each": bench.fan_out(events),
            "all of one endpoint": bench.of_one_endpoint(),
        }
    for name, figures in mixes.items():
        report.row(name, "a delivery")
        for call, count in figures.calls.items():
            report.row(f"  {call}", count)
        report.row("  deliveries/s", figures.rate)
    calls = (sum(figures.calls.values()) for figures in mixes.values())
    report.check("calls a delivery", CALLS_LIMIT, *calls)
    spread, fan_out, _ = mixes.values()
    report.result(LIMIT, min(spread.rate, fan_out.rate))


class _Bench:
    """Deliveries on a running stack, and in this process, where their calls are counted."""

    def __init__(self, parts: Parts, function: CountedFunction, size: Size) -> None:
        self._stack, self._receiver = parts.stack, parts.receiver
        self._function, self._size = function, size
        table = Table(bench_clients(parts.stack), parts.stack.resources["MainTable"]["Ref"])
        self._deliveries = Deliveries(table=table)
        self._renders = FinalRenders(parts.stack, bench_clients(parts.stack))
        self._endpoints = BenchEndpoints(parts.stack)

    def spread(self) -> _Figures:
        """Measure deliveries of several workspaces."""
        return self._waiting("spread", self._make_endpoints("spread", WORKSPACES, ENDPOINTS))

    def of_one_endpoint(self) -> _Figures:
        """Measure deliveries of one endpoint."""
        return self._waiting("one", self._make_endpoints("one", 1, 1))

    def fan_out(self, events: int) -> _Figures:
        """Measure deliveries of events, which the relay makes."""
        endpoints = self._make_endpoints("fan-out", 1, ENDPOINTS_OF_EVENT)
        workspace_id = endpoints[0].workspace_id
        calls = self._calls(endpoints)
        visible_at = SystemClock().now() + dt.timedelta(seconds=self._size.delay_s)

        def write(_: int) -> Mapping[str, Any]:
            return self._renders.write(self._renders.copy(workspace_id=workspace_id)).to_json()

        with ThreadPoolExecutor(8) as threads:
            messages = list(threads.map(write, range(events)))
        return _Figures(self._rate("fan-out", "EventsQueue", messages, visible_at), calls)

    def _waiting(self, name: str, endpoints: Sequence[WebhookEndpoint]) -> _Figures:
        """Measure deliveries that are there, to each endpoint in turn."""
        calls = self._calls(endpoints)
        visible_at = SystemClock().now() + dt.timedelta(seconds=self._size.delay_s)
        # A queue delays by whole seconds.
        new_delivery = partial(self._new_delivery, due_at=visible_at - dt.timedelta(seconds=1))
        with ThreadPoolExecutor(8) as threads:
            made = threads.map(new_delivery, _in_turn(endpoints, self._size.deliveries))
            messages = list(map(_message, made))
        return _Figures(self._rate(name, "WebhooksQueue", messages, visible_at), calls)

    def _calls(self, endpoints: Sequence[WebhookEndpoint]) -> Mapping[str, float]:
        """Return the calls of a delivery, once the secrets are open."""
        self._function.serve([_message(self._new_delivery(each)) for each in endpoints])
        counted = _in_turn(endpoints, self._size.counted)
        return self._function.calls([_message(self._new_delivery(each)) for each in counted])

    def _rate(
        self,
        name: str,
        queue: str,
        messages: Sequence[Mapping[str, Any]],
        visible_at: dt.datetime,
    ) -> float:
        """Return the arrivals per second after messages have become visible."""
        path, number = f"/ok/{name}/", self._size.deliveries
        before = len(self._receiver.arrivals(path))
        queue_url = self._stack.resources[queue]["Ref"]
        send_together(self._stack.client("sqs"), queue_url, messages, visible_at)
        measured = self._receiver.wait_for(path, before + number, _TIMEOUT_S)[before:]
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

    def _new_delivery(
        self, endpoint: WebhookEndpoint, due_at: dt.datetime | None = None
    ) -> WebhookDelivery:
        """Write a delivery of the end of a render, due now or later, without its message."""
        ids, now = RandomIdGenerator(), SystemClock().now()
        render = self._renders.copy(workspace_id=endpoint.workspace_id)
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


def _in_turn(endpoints: Sequence[WebhookEndpoint], number: int) -> Iterator[WebhookEndpoint]:
    return islice(cycle(endpoints), number)


def _message(delivery: WebhookDelivery) -> JsonObject:
    webhook_message = DeliverWebhook(delivery.workspace_id, delivery.id, delivery.request_id)
    return webhook_message.to_json()
