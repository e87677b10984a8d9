"""API, render function and relay in the process of a benchmark, with a count of their calls."""

import base64
import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from math import ceil
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

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
from infra.bench.functions import CountingClients, environment, function_variables
from infra.local.event_sources import sqs_event
from infra.local.functions import API_LOGICAL_ID
from infra.local.runner.invoke_api import InvokeApi
from infra.local.runner.process import InvocationAnswer
from infra.local.running_stack import RunningStack
from infra.local.server import WsgiServer
from infra.template import load_template
from infra.write_units import WriteUnits

if TYPE_CHECKING:
    from infra.local.runner.invocation import Invocation
    from infra.local.runner.pool import WorkerPool

# Imported by name, as Lambda does.
serve_module: Final[Any] = import_module("functions.render.serve")

# On a busy machine a render takes long enough to be polled (CancellationWatch, decision 13).
_STATUS_POLL: Final = "render GetItem"


class _InProcess(NamedTuple):
    """Pool of the Invoke API that runs a function in the calling thread."""

    serve: Callable[[Any, str], Mapping[str, Any]]
    # The pool's function, of which the Invoke API asks only this.
    function: Any = SimpleNamespace(isolates_tenants=False)

    def invoke(self, invocation: "Invocation") -> InvocationAnswer:
        """Run the function; an exception of it ends the benchmark."""
        answer = self.serve(json.loads(invocation.payload), invocation.request_id)
        return InvocationAnswer(json.dumps(answer).encode())


class InProcessService(NamedTuple):
    """Functions of a service, whose queues no poller reads."""

    app: App
    serve_render: Callable[[Any, str], Mapping[str, Any]]
    relay: Any
    live_key: str
    sqs: Any
    queue: str
    events: str
    counts: Counter[str]
    write_units: WriteUnits

    def calls(self, body: Mapping[str, Any]) -> Counter[str]:
        """Render once, to the end; return the calls of both functions."""
        self.counts.clear()
        started = time.monotonic()
        self._render(body, {})
        polls = ceil(max(0.0, time.monotonic() - started - FIRST_CHECK_S) / NEXT_CHECK_S)
        self.counts[_STATUS_POLL] = max(0, self.counts[_STATUS_POLL] - polls)
        return +self.counts

    def units(self, body: Mapping[str, Any]) -> Counter[str]:
        """Render once with an Idempotency-Key and publish the event; return the write units."""
        self._publish_events()
        self.write_units.counts.clear()
        self._render(body, {"Idempotency-Key": f"bench-{time.monotonic_ns()}"})
        self._publish_events()
        return +self.write_units.counts

    def _render(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        event = _api_event(self.live_key, body, headers)
        response = self.app(event, SimpleNamespace(aws_request_id="bench"))
        assert response["statusCode"] in {200, 202}, response
        received = self.sqs.receive_message(
            QueueUrl=self.queue, WaitTimeSeconds=0, MessageSystemAttributeNames=["All"]
        )
        for message in received.get("Messages", []):
            handled = self.serve_render(sqs_event([message], "bench"), "bench")
            assert handled == {"batchItemFailures": []}, handled

    def _publish_events(self) -> None:
        while True:
            received = self.sqs.receive_message(
                QueueUrl=self.events, MaxNumberOfMessages=10, WaitTimeSeconds=1
            ).get("Messages", [])
            if not received:
                return
            for message in received:
                event = PublishEvent.from_json(json.loads(message["Body"]))
                assert self.relay.publish([event]) == {}
                self.sqs.delete_message(
                    QueueUrl=self.events, ReceiptHandle=message["ReceiptHandle"]
                )


@contextlib.contextmanager
def in_process_service(stack: RunningStack) -> Iterator[InProcessService]:
    """Build the service; the engine is that of the stack."""
    sqs, lambda_client = stack.client("sqs"), stack.client("lambda")
    queue, events = (
        sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("bench-render", "bench-events")
    )
    own = {"PLATEN_RENDERS_QUEUE_URL": queue, "PLATEN_EVENTS_QUEUE_URL": events}
    counts: Counter[str] = Counter()
    write_units = WriteUnits(stack.client("dynamodb"), load_template())
    settings = RenderSettings.from_env({**function_variables(stack, "RenderFunction"), **own})
    api_settings = ApiSettings.from_env({**function_variables(stack, API_LOGICAL_ID), **own})

    def ask_engine(event: Any, _invocation: str) -> Mapping[str, Any]:
        answer = lambda_client.invoke(
            FunctionName=settings.engine_function, Payload=json.dumps(event)
        )
        content: Mapping[str, Any] = json.load(answer["Payload"])
        return content

    def serve_render(event: Any, invocation: str) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = serve_module.serve(event, invocation, services)
        return answer

    pools = {
        settings.engine_function: _InProcess(ask_engine),
        api_settings.render_function: _InProcess(serve_render),
    }
    # A render waits for the engine in one of the threads.
    invoke_api = WsgiServer(InvokeApi(cast("Mapping[str, WorkerPool]", pools)), threads=4)
    invoke_api.start()
    variables = function_variables(stack, "RelayFunction") | own
    with environment({**variables, "AWS_ENDPOINT_URL_LAMBDA": invoke_api.url}):
        clients = CountingClients("render", counts, write_units)
        services = serve_module.RenderServices(
            execute=render.execute_render(settings, clients, SystemClock()),
            consumers=render.render_consumers(settings, clients),
            validate_received=render.validate_received(settings, clients, SystemClock()),
        )
        api = ApiServices(
            api_settings,
            CountingClients("API", counts, write_units),
            clock=SystemClock(),
            ids=RandomIdGenerator(),
        )
        yield InProcessService(
            app=App(BLUEPRINTS, lambda: api),
            serve_render=serve_render,
            relay=_relay(variables, CountingClients("relay", counts, write_units)),
            live_key=stack.live_key,
            sqs=sqs,
            queue=queue,
            events=events,
            counts=counts,
            write_units=write_units,
        )
    invoke_api.close()


def _relay(variables: Mapping[str, str], clients: CountingClients) -> Any:
    row = WORK["relay"]
    settings = WorkSettings.with_names(row.all_settings, variables)
    parts = WorkParts(row, settings, clients, SystemClock())
    return import_module("functions.relay.handler").outbox_relay(parts)


def _api_event(key: str, body: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, Any]:
    """Return the event of a `POST /v1/renders` for the API function."""
    path = "/v1/renders"
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "*/*",
        "Host": "api.test",
        **more,
    }
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": path,
            "httpMethod": "POST",
            "path": path,
            "identity": {"sourceIp": "203.0.113.7"},
        },
        "body": base64.b64encode(json.dumps(body).encode()).decode(),
        "isBase64Encoded": True,
    }
