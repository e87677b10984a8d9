"""Sync renders whose function is killed, has no capacity, or is late."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from chalicelib.core.errors import FieldError, RenderFailure
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service
from tests.builders.templates import make_template, render_template

URL = "https://lambda.test"


def late(_service: Service) -> Iterator[BaseException | None]:
    """The first call is not answered in time."""
    yield ReadTimeoutError(endpoint_url=URL)


def busy(service: Service) -> Iterator[BaseException | None]:
    """There is no capacity until the deadline."""
    while True:
        service.clock.advance(seconds=6)
        yield LambdaClient.exceptions.TooManyRequestsException()


def unreachable(service: Service) -> Iterator[BaseException | None]:
    """No function can be invoked until the deadline."""
    while True:
        service.clock.advance(seconds=6)
        yield EndpointConnectionError(endpoint_url=URL)


def killed_then_late(_service: Service) -> Iterator[BaseException | None]:
    """The first function claims the render and is killed; the second is late before its claim."""
    yield None
    yield ReadTimeoutError(endpoint_url=URL)


def killed_then_out_of_time(service: Service) -> Iterator[BaseException | None]:
    """The first function claims the render and is killed at the deadline."""
    service.clock.advance(seconds=28)
    yield None


def dies_once(service: Service) -> None:
    deaths = iter([True])

    def die(_job: object) -> None:
        if next(deaths, False):
            raise FunctionKilled

    service.engine.before_run = die


def nothing_is_reserved(service: Service) -> bool:
    limits = service.limits()
    return (limits["used"], limits["holds"], limits["leases"]) == (0, {}, {})


@pytest.mark.parametrize("calls", [busy, unreachable, killed_then_late, killed_then_out_of_time])
def test_unfinished_render_continues_from_the_queue(
    service: Service, calls: Callable[[Service], Iterator[BaseException | None]]
) -> None:
    if calls in {killed_then_late, killed_then_out_of_time}:
        dies_once(service)
    service.invoke_failures = calls(service)

    answer = service.render(headers={"Idempotency-Key": "k"})

    assert answer.status == 202, answer.body
    again = service.render(headers={"Idempotency-Key": "k"})
    assert (again.status, again.json) == (202, answer.json)
    service.invoke_failures = iter(())
    assert service.run_queued() == []
    service.relay_events()
    render = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert render["status"] == "succeeded"
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})
    assert len(service.objects()) == 1
    assert len(service.events(render["id"])) == 1


def test_late_render_continues_in_its_function(service: Service) -> None:
    service.invoke_failures = late(service)

    answer = service.render(headers={"Idempotency-Key": "k"})

    assert (answer.status, answer.json["status"]) == (202, "processing")
    assert service.run_queued() == []
    service.serve(service.last_event)
    service.relay_events()
    assert service.call("GET", f"/v1/renders/{answer.json['id']}").json["status"] == "succeeded"
    assert service.limits()["used"] == 1
    assert len(service.objects()) == 1


def test_late_render_with_a_killed_function_is_retried_after_its_deadline(
    service: Service,
) -> None:
    service.invoke_failures = late(service)
    answer = service.render()

    service.clock.advance(seconds=301)
    service.tick()
    service.run_maintenance()
    service.run_queued()

    render = service.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert render["status"] == "succeeded"


def test_late_render_is_canceled_when_requested_and_costs_nothing(service: Service) -> None:
    service.invoke_failures = late(service)

    answer = service.render(timeout_behavior="cancel")
    service.serve(service.last_event)

    assert answer.status == 408
    assert answer.code == "render_timeout"
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert render["status"] == "canceled"
    assert render["error"]["code"] == "render_timeout"
    assert nothing_is_reserved(service)
    assert service.run_queued() == []
    assert service.objects() == []


def test_render_canceled_while_running_stores_no_file(service: Service) -> None:
    def cancel(_job: object) -> None:
        (row,) = service.call("GET", "/v1/renders").json["data"]
        render = service.services.state.renders.get(service.workspace, row["id"])
        assert render is not None
        service.services.renders.end.cancel_timed_out(render, running_attempt=1)

    service.engine.before_run = cancel

    answer = service.render()

    assert answer.code == "render_timeout"
    assert service.objects() == []
    assert nothing_is_reserved(service)
    events = service.events(answer.json["render_id"])
    assert [event["type"] for event in events] == ["render.canceled"]


@pytest.mark.parametrize("calls", [busy, unreachable, killed_then_out_of_time])
def test_no_capacity_is_an_error_and_the_same_key_may_retry(
    service: Service, calls: Callable[[Service], Iterator[BaseException | None]]
) -> None:
    if calls is killed_then_out_of_time:
        dies_once(service)
    service.invoke_failures = calls(service)

    answer = service.render(timeout_behavior="cancel", headers={"Idempotency-Key": "k"})

    assert answer.status == 503
    assert answer.code == "region_degraded"
    assert int(answer.headers["Retry-After"]) >= 1
    assert nothing_is_reserved(service)
    service.invoke_failures = iter(())
    again = service.render(timeout_behavior="cancel", headers={"Idempotency-Key": "k"})
    assert again.status == 200
    assert "Idempotent-Replayed" not in again.headers


def test_capacity_freed_in_time_is_used(service: Service) -> None:
    service.invoke_failures = iter([LambdaClient.exceptions.TooManyRequestsException()] * 2)

    assert service.render().json["status"] == "succeeded"


def test_render_finished_by_a_function_with_a_lost_response_is_answered(
    service: Service,
) -> None:
    def calls() -> Iterator[BaseException | None]:
        render = service.call("GET", "/v1/renders").json["data"][0]
        body = {"input": {"type": "html", "html": "x"}}
        assert render["status"] == "queued", body
        service.serve(service.last_event, "silent")
        yield ConnectionClosedError(endpoint_url=URL)
        yield from busy(service)

    service.invoke_failures = calls()

    answer = service.render(timeout_behavior="cancel")

    assert answer.status == 200
    assert answer.json["billed"] is True
    assert service.limits()["used"] == 1


def test_late_first_attempt_does_not_affect_the_second(service: Service) -> None:
    contents = iter([b"%PDF the second attempt", b"%PDF the first, and longer"])

    def superseded(_job: object) -> None:
        if len(service.engine.jobs) == 1:
            service.serve(service.last_event | {"attempt": 2, "row": None}, "second")
        service.engine.content = next(contents)

    service.engine.before_run = superseded

    answer = service.render(delivery={"type": "binary"})

    assert answer.body == b"%PDF the second attempt"
    service.relay_events()
    (key,) = service.objects()
    assert key.endswith("/2-0.pdf")
    assert service.limits()["used"] == 1


def test_attempt_killed_after_storing_leaves_no_file(service: Service) -> None:
    fails = iter([False, True])

    def before(_job: object) -> None:
        if next(fails):
            raise RenderFailure("render_failed", "the second attempt fails")
        service.kill_before_commit = True

    service.engine.before_run = before

    answer = service.render()

    assert answer.code == "render_failed"
    service.relay_events()
    assert service.objects() == []
    assert nothing_is_reserved(service)


def test_queued_render_whose_functions_are_all_killed_is_lost(service: Service) -> None:
    def die(_job: object) -> None:
        raise FunctionKilled

    service.engine.before_run = die
    render_id = service.render(mode="async").json["id"]
    for _ in range(4):
        service.redeliver()

    render = service.call("GET", f"/v1/renders/{render_id}").json
    assert render["error"]["code"] == "render_lost"
    assert nothing_is_reserved(service)
    service.relay_events()
    assert service.objects() == []


@pytest.mark.parametrize("sent_by", ["repeat", "tick"])
def test_async_render_whose_message_was_never_sent_is_sent_again(
    service: Service, sent_by: str
) -> None:
    class ConnectionRefused:
        def send_message(self, **_: object) -> None:
            raise ConnectionClosedError(endpoint_url=URL)

    sqs, service.clients.sqs = service.clients.sqs, cast("Any", ConnectionRefused())
    again = service.render(mode="async", headers={"Idempotency-Key": "k"})
    assert again.status == 202
    service.clients.sqs = sqs

    if sent_by == "repeat":
        assert service.render(mode="async", headers={"Idempotency-Key": "k"}).json == again.json
    else:
        service.clock.advance(seconds=61)
        service.tick()
        service.run_maintenance()

    assert service.run_queued() == []
    assert service.relay_events() == []
    assert service.call("GET", f"/v1/renders/{again.json['id']}").json["status"] == "succeeded"
    assert service.limits()["used"] == 1


def test_body_that_grows_when_serialized_reaches_the_function(service: Service) -> None:
    numbers = ("1e15," * 700_000).rstrip(",")
    body = '{"input":{"type":"html","html":"x"},"data":{"n":[' + numbers + "]}}"

    answer = service.call("POST", "/v1/renders", body=body.encode())

    assert answer.status == 200, answer.body[:300]
    received = (service.engine.jobs[0].data or {})["n"]
    assert isinstance(received, list)
    assert len(received) == 700_000
    service.relay_events()
    assert service.objects() == [f"ws/{service.workspace}/files/{answer.json['id']}/1-0.pdf"]


def test_render_whose_acceptance_took_all_time_is_refused(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_template(service, schema={}, publish=True)

    def check_late(*_: Any, **__: Any) -> list[FieldError]:
        service.clock.advance(seconds=28)
        return []

    monkeypatch.setattr(service.schemas, "validate", check_late)

    answer = render_template(service, path, data={}, timeout_behavior="cancel")

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert nothing_is_reserved(service)
