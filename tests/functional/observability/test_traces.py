"""Traces: from a request through its render and engine to its webhook, where the setting is on."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.core.clock import SystemClock
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import EngineJob
from tests.builders.service import Service
from tests.builders.webhooks import deliver, receiver_of
from tests.fakes.webhook_receiver import WebhookReceiver

type WrittenSpans = Callable[[], dict[str, dict[str, Any]]]

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"


@pytest.fixture
def receiver(service: Service) -> Iterator[WebhookReceiver]:
    service.clock.moment = SystemClock().now().replace(microsecond=0)
    with receiver_of(service) as running:
        yield running


@pytest.fixture
def traced(service: Service) -> Service:
    service.settings.__dict__["traces"] = "on"
    return service


@pytest.fixture
def spans(capsys: pytest.CaptureFixture[str]) -> WrittenSpans:
    def read() -> dict[str, dict[str, Any]]:
        lines = capsys.readouterr().out.splitlines()
        records = [json.loads(line) for line in lines if line.startswith("{")]
        return {each["span"]["name"]: each["span"] for each in records if "span" in each}

    return read


def attributes(span: dict[str, Any]) -> dict[str, str]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_request_is_one_trace_up_to_its_webhook(
    traced: Service, receiver: WebhookReceiver, spans: WrittenSpans, mode: str
) -> None:
    render = traced.render(
        mode=mode, webhook={"url": receiver.url}, headers={"traceparent": TRACEPARENT}
    ).json
    traced.run_queued()
    deliver(traced)

    found = spans()
    request, run, store = found["POST /v1/renders"], found["render"], found["store"]
    webhook = found["deliver webhook"]
    assert {each["traceId"] for each in (request, run, store, webhook)} == {TRACE}
    assert request["parentSpanId"] == CALLER
    assert run["parentSpanId"] == request["spanId"]
    assert store["parentSpanId"] == run["spanId"]
    assert webhook["parentSpanId"] == request["spanId"]
    assert attributes(request)["platen.render_id"] == render["id"]
    assert attributes(run)["platen.status"] == "succeeded"
    (received,) = receiver.received
    assert received.headers["traceparent"] == f"00-{TRACE}-{webhook['spanId']}-01"


def test_an_engine_is_told_of_the_trace(traced: Service) -> None:
    traced.render(headers={"traceparent": TRACEPARENT})

    (call,) = traced.engine_calls
    assert call.event["traceparent"].startswith(f"00-{TRACE}-")


def test_a_failed_render_has_a_failed_span(traced: Service, spans: WrittenSpans) -> None:
    def fail(_job: EngineJob) -> None:
        raise RenderFailure("template_runtime_error", "n of a tenant is undefined")

    traced.engine.before_run = fail
    traced.render()

    found = spans()
    assert found["render"]["status"] == {"code": 2, "message": "template_runtime_error"}
    assert "tenant" not in json.dumps(found)


def test_a_url_is_fetched_with_the_trace_as_with_headers_of_its_own(traced: Service) -> None:
    jobs = list[Any]()
    traced.engine.before_run = jobs.append
    url = {"type": "url", "url": "http://127.0.0.1:9/page"}

    traced.render(input=url, headers={"traceparent": TRACEPARENT})
    traced.render(
        input=url,
        output={"http": {"headers": {"Traceparent": "mine"}}},
        headers={"traceparent": TRACEPARENT},
    )
    traced.render(headers={"traceparent": TRACEPARENT})

    sent, own, html = (job.output.http.headers for job in jobs)
    assert sent["traceparent"].startswith(f"00-{TRACE}-")
    assert own == {"Traceparent": "mine"}
    assert html is None


def test_without_the_setting_there_is_no_trace(
    service: Service, receiver: WebhookReceiver, spans: WrittenSpans
) -> None:
    jobs = list[Any]()
    service.engine.before_run = jobs.append
    url = {"type": "url", "url": "http://127.0.0.1:9/page"}
    render = service.render(
        input=url, webhook={"url": receiver.url}, headers={"traceparent": TRACEPARENT}
    ).json
    deliver(service)

    assert spans() == {}
    assert "traceparent" not in service.rows(render["id"])[0]
    assert "traceparent" not in receiver.received[0].headers
    assert jobs[0].output.http.headers is None


def test_each_attempt_of_a_webhook_is_counted(
    service: Service, receiver: WebhookReceiver, capsys: pytest.CaptureFixture[str]
) -> None:
    receiver.statuses = [500]
    service.render(webhook={"url": receiver.url})
    deliver(service)

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line[:1] == "{"]
    (counted,) = [line for line in lines if "WebhookAttempts" in line]
    assert (counted["WebhookAttempts"], counted["status"]) == ([1.0], "retrying")
    assert counted["service"] == "deliver_webhook"
