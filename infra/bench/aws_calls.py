"""Benchmark: number of AWS calls and of write units of one render (decision 10).

`make bench NAME=calls`: the API function's app and the handlers of the render function, of the
engine and of the relay run in this process, on the emulators and the browser of a running stack,
with their own queues that no poller reads. Botocore hooks count. Not counted as calls are receiving
and deleting messages, the relay, and the polls of the cancellation watch, which start after half a
second. Write units are those of a request with an Idempotency-Key, up to its published event.
"""

import contextlib
import io
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from math import ceil
from types import SimpleNamespace
from typing import Any, Final

from chalicelib.api.edge.app import App
from chalicelib.api.routes import BLUEPRINTS
from chalicelib.bootstrap import render
from chalicelib.bootstrap.api import ApiServices
from chalicelib.bootstrap.work import WORK
from chalicelib.bootstrap.work_function import WorkParts
from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.renders.run.cancellation_watch import FIRST_CHECK_S, NEXT_CHECK_S
from chalicelib.settings import ApiSettings, RenderSettings, WorkSettings
from infra.bench.counting_clients import CountingClients
from infra.bench.in_process import InProcessPool, api_event, engine_of, environment
from infra.local.event_sources import sqs_event
from infra.local.runner.invoke_api import InvokeApi
from infra.local.running_stack import RunningStack, running_stack
from infra.local.server import WsgiServer
from infra.template import load_template
from infra.write_units import WriteUnits

# Imported by name, as Lambda does.
serve_module: Final[Any] = import_module("functions.render.serve")

SYNC_LIMIT: Final = 9
ASYNC_LIMIT: Final = 11
SYNC_UNITS: Final = 24
ASYNC_UNITS: Final = 29
# On a busy machine a render takes long enough to be polled (CancellationWatch, decision 13).
_STATUS_POLL: Final = "render GetItem"
_CALL_REASONS: Final = {
    "API BatchGetItem": "key and workspace",
    "API UpdateItem": "rate, concurrency and quota, in one",
    "API TransactWriteItems": "the render is made",
    "API Invoke": "the render function, with row and body",
    "API PutObject": "the body, which waits in the bucket",
    "API SendMessage": "the queue",
    "render Invoke": "the engine, with the job",
    "render UpdateItem": "settles the limits; claims a queued render",
    "render GetObject": "the body",
    "render PutObject": "the file",
    "render TransactWriteItems": "final state, file and event",
    "render SendMessage": "the event, to the relay",
}


def main() -> int:
    """Print both tables and the worse ratio; 1 when it is over 1."""
    with running_stack() as stack, contextlib.redirect_stdout(io.StringIO()):
        counted = _CallCounter(stack)
        try:
            document = {"input": {"type": "html", "html": "<h1>One page</h1>"}}
            large = {"input": {"type": "html", "html": "<p>" + "words " * 17_000}, "mode": "async"}
            counted.render(document)
            calls = {"sync html": counted.render(document), "async, 100 KB": counted.render(large)}
            units = {
                "sync html": counted.units_of(document),
                "async, 100 KB": counted.units_of(large),
            }
        finally:
            counted.close()
    _print_row("A process's first request with a key reads the workspace by itself: one call more.")
    limits = {"sync html": SYNC_LIMIT, "async, 100 KB": ASYNC_LIMIT}
    for name, counts in calls.items():
        _print_row(f"{name}: {counts.total()} calls (limit {limits[name]})")
        for call, count in counts.items():
            _print_row(f"  {call}", str(count), _CALL_REASONS.get(call, "?"))
    unit_limits = {"sync html": SYNC_UNITS, "async, 100 KB": ASYNC_UNITS}
    for name, counts in units.items():
        _print_row(f"{name}: {counts.total()} write units (limit {unit_limits[name]})")
        for call, count in (+counts).items():
            _print_row(f"  {call}", str(count))
    ratio = max(
        *(counts.total() / limits[name] for name, counts in calls.items()),
        *(counts.total() / unit_limits[name] for name, counts in units.items()),
    )
    _print_row(f"calls: {ratio:.2f} (limit 1.0)")
    return int(ratio > 1)


class _CallCounter:
    """API, render function and engine in this process, with a count of their calls."""

    def __init__(self, stack: RunningStack) -> None:
        self._counts: Counter[str] = Counter()
        self._units = WriteUnits(stack.client("dynamodb"), load_template())
        self._key = stack.live_key
        self._sqs = stack.client("sqs")
        self._queue, self._events = (
            self._sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("counted", "events")
        )
        variables = environment(stack, "functions.render.handler.handler")
        os.environ.update({k: v for k, v in variables.items() if k.startswith("AWS_")})
        own = {"PLATEN_RENDERS_QUEUE_URL": self._queue, "PLATEN_EVENTS_QUEUE_URL": self._events}
        settings = RenderSettings.from_env(variables | own)
        clients = CountingClients("render", self._counts, self._units)
        row = WORK["relay"]
        relay_settings = WorkSettings.with_names(
            row.all_settings, environment(stack, "functions.relay.handler.handler") | own
        )
        relay_clients = CountingClients("relay", self._counts, self._units)
        parts = WorkParts(row, relay_settings, relay_clients, SystemClock())
        self._relay = import_module("functions.relay.handler").outbox_relay(parts)
        self._services = serve_module.RenderServices(
            execute=render.execute_render(settings, clients, SystemClock()),
            consumers=render.render_consumers(settings, clients),
            validate_received=render.validate_received(settings, clients, SystemClock()),
        )
        api_settings = ApiSettings.from_env(environment(stack, "app.app") | own)
        self._server = WsgiServer(
            InvokeApi(
                {
                    settings.engine_function: InProcessPool(engine_of(stack)),  # type: ignore[dict-item]
                    api_settings.render_function: InProcessPool(self._serve),  # type: ignore[dict-item]
                }
            ),
            # A render waits for the engine in one of them.
            threads=4,
        )
        self._server.start()
        os.environ["AWS_ENDPOINT_URL_LAMBDA"] = self._server.url
        services = ApiServices(
            api_settings,
            CountingClients("API", self._counts, self._units),
            clock=SystemClock(),
            ids=RandomIdGenerator(),
        )
        self._app = App(BLUEPRINTS, lambda: services)

    def _serve(self, event: Any, invocation: str) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = serve_module.serve(event, invocation, self._services)
        return answer

    def units_of(self, body: Mapping[str, Any]) -> Counter[str]:
        """Render once with an Idempotency-Key and publish the event; return the write units."""
        self._publish_events()
        self._units.counts.clear()
        self.render(body, {"Idempotency-Key": f"bench-{time.monotonic_ns()}"})
        self._publish_events()
        return self._units.counts.copy()

    def _publish_events(self) -> None:
        while True:
            received = self._sqs.receive_message(
                QueueUrl=self._events, MaxNumberOfMessages=10, WaitTimeSeconds=1
            ).get("Messages", [])
            if not received:
                return
            for message in received:
                event = PublishEvent.from_json(json.loads(message["Body"]))
                assert self._relay.publish([event]) == {}
                self._sqs.delete_message(
                    QueueUrl=self._events, ReceiptHandle=message["ReceiptHandle"]
                )

    def render(
        self, body: Mapping[str, Any], more_headers: Mapping[str, str] | None = None
    ) -> Counter[str]:
        """Render once, to the end; return the calls of both functions."""
        self._counts.clear()
        started = time.monotonic()
        event = api_event(self._key, "/v1/renders", body, more_headers or {})
        response = self._app(event, SimpleNamespace(aws_request_id="bench"))
        assert response["statusCode"] in {200, 202}, response
        received = self._sqs.receive_message(
            QueueUrl=self._queue,
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["All"],
        )
        for message in received.get("Messages", []):
            handled = self._serve(sqs_event([message], "counted"), "bench")
            assert handled == {"batchItemFailures": []}, handled
        polls = ceil(max(0.0, time.monotonic() - started - FIRST_CHECK_S) / NEXT_CHECK_S)
        self._counts[_STATUS_POLL] = max(0, self._counts[_STATUS_POLL] - polls)
        return +self._counts

    def close(self) -> None:
        """Stop the Invoke API; the browser ends with this process."""
        self._server.close()


def _print_row(first: str, count: str = "", why: str = "") -> None:
    sys.stdout.write(f"{first:<32}{count:>4}  {why}".rstrip() + "\n")
