"""Long AWS outages: nothing is lost, nothing is silenced, nothing loops."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.adapters.aws.table import Table, Throttled, Write
from chalicelib.core.ids import RenderId
from chalicelib.features.renders.model import Render
from tests.builders.lambda_client import FunctionKilled, LambdaClient
from tests.builders.service import Service


@pytest.fixture
def pauses(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Redeliver messages at once; collect the delays that were set."""
    asked: list[int] = []
    change = service.clients.sqs.change_message_visibility

    def at_once(**request: Any) -> object:
        asked.append(request["VisibilityTimeout"])
        return change(**(request | {"VisibilityTimeout": 0}))

    monkeypatch.setattr(service.clients.sqs, "change_message_visibility", at_once)
    return asked


def down(**_: object) -> NoReturn:
    raise ConnectionClosedError(endpoint_url="https://s3.test")


def render_of(service: Service, render_id: str) -> Render:
    render = service.services.state.renders.get(service.workspace, RenderId(render_id))
    assert render is not None
    return render


def process_queues(service: Service) -> None:
    service.clock.advance(seconds=1)
    while service.run_queued() or service.relay_events():
        service.clock.advance(seconds=1)


def test_bucket_outage_costs_an_async_render_no_attempt(
    service: Service, pauses: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    render_id = service.render(mode="async").json["id"]
    with monkeypatch.context() as outage:
        outage.setattr(service.clients.s3, "get_object", down)
        for _ in range(MAX_RECEIVE_COUNT - 1):
            assert len(service.run_queued()) == 1
            service.clock.advance(seconds=pauses[-1])

    process_queues(service)

    assert sum(pauses) > 240
    render = render_of(service, render_id)
    assert (render.status, render.waived_attempts) == ("succeeded", MAX_RECEIVE_COUNT - 1)
    assert service.limits()["used"] == 1
    assert len(service.objects()) == 1


def test_long_bucket_outage_loses_nothing(
    service: Service, pauses: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    render_id = service.render(mode="async").json["id"]
    with monkeypatch.context() as outage:
        outage.setattr(service.clients.s3, "get_object", down)
        while service.run_queued():
            service.clock.advance(seconds=pauses[-1])
        assert service.record_dead_letters("Renders") == []
    (letter,) = service.dead_letters("Renders")
    assert letter.outcome.startswith("what was due of it stays due")
    assert render_of(service, render_id).status == "processing"

    service.clock.advance(minutes=8)
    service.tick()
    service.run_maintenance()
    process_queues(service)

    assert render_of(service, render_id).status == "succeeded"


def test_event_is_delivered_after_a_long_subscriber_outage(
    service: Service, pauses: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    render_id = service.render(mode="async").json["id"]
    service.run_queued()
    with monkeypatch.context() as outage:
        outage.setattr(service.clients.s3, "delete_objects", down)
        while service.relay_events():
            pass
        service.record_dead_letters("Events")
    assert len(pauses) == MAX_RECEIVE_COUNT - 1

    service.clock.advance(minutes=6)
    service.tick()
    service.relay_events()

    (published,) = service.events(render_id)
    assert published["published_at"]
    assert service.usage() == {"live_succeeded": 1, "billed": 1}
    assert len(service.objects()) == 1


def test_dead_letter_of_a_running_render_does_not_end_it(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]

    def record_dead_letter(_job: object) -> None:
        message = {"v": 1, "workspace_id": service.workspace, "render_id": render_id}
        service.clients.sqs.send_message(
            QueueUrl=service.resources["RendersDeadLetters"]["Ref"],
            MessageBody=json.dumps(message | {"request_id": "r"}),
        )
        service.record_dead_letters("Renders")

    service.engine.before_run = record_dead_letter
    service.run_queued()

    assert render_of(service, render_id).status == "succeeded"
    (letter,) = service.dead_letters("Renders")
    assert letter.outcome.startswith("the render goes on")


def test_slow_clock_of_another_function_delays_nothing(service: Service) -> None:
    deaths = iter([True])

    def die(_job: object) -> None:
        if next(deaths, False):
            raise FunctionKilled

    def calls() -> Iterator[BaseException | None]:
        yield None
        while True:
            service.clock.advance(seconds=6)
            yield LambdaClient.exceptions.TooManyRequestsException()

    service.engine.before_run = die
    service.invoke_failures = calls()
    render_id = service.render().json["id"]
    service.invoke_failures = iter(())

    service.clock.advance(seconds=-0.2)
    service.run_queued()

    assert render_of(service, render_id).status == "succeeded"


def test_file_of_an_attempt_killed_after_its_caller_left_is_removed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = service.clients.s3.put_object

    def leave(_job: object) -> None:
        render = render_of(service, service.last_event["render_id"])
        service.services.renders.end.cancel_timed_out(render, running_attempt=1)
        service.relay_events()

    def put_then_die(**request: Any) -> NoReturn:
        put(**request)
        raise FunctionKilled

    service.engine.before_run = leave
    with monkeypatch.context() as deadly:
        deadly.setattr(service.clients.s3, "put_object", put_then_die)
        assert service.render(timeout_behavior="cancel").code == "render_timeout"
    assert len(service.objects()) == 1

    service.clock.advance(minutes=8)
    service.tick()
    service.run_maintenance()

    assert service.objects() == []
    assert service.limits()["leases"] == {}
    service.clock.advance(minutes=6)
    assert service.tick() == 0


def test_missing_body_answered_as_forbidden_fails_the_render_as_lost(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    render_id = service.render(mode="async").json["id"]

    def forbidden(**_: object) -> NoReturn:
        refusal: Any = {
            "Error": {"Code": "AccessDenied"},
            "ResponseMetadata": {"HTTPStatusCode": 403},
        }
        raise ClientError(refusal, "GetObject")

    with monkeypatch.context() as strict:
        strict.setattr(service.clients.s3, "get_object", forbidden)
        assert service.run_queued() == []

    assert (render_of(service, render_id).error or {})["code"] == "render_lost"


def test_relay_reads_one_by_one_when_a_read_of_several_is_throttled(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    render_ids = [service.render().json["id"] for _ in range(2)]
    refusals = iter([Throttled("too many")])
    read = Table.get_many

    def get_many(*given: Any) -> Any:
        for refusal in refusals:
            raise refusal
        return read(*given)

    monkeypatch.setattr(Table, "get_many", get_many)
    assert service.relay_events() == []

    for render_id in render_ids:
        (published,) = service.events(render_id)
        assert published["published_at"]


def test_misplaced_due_item_makes_one_dead_letter_and_is_retried(service: Service) -> None:
    """A wrong item is left, for example, by a release that was rolled back."""
    item = {"PK": "WS#ws_1#BAT#b", "SK": "META", "DPK": "DUE#render#1"}
    due = {"due_at": "2020-01-01T00:00:00.000Z"}
    service.main_table.write(Write(service.main_table, item=item | due))
    handed = 0
    for _ in range(72):
        handed += service.tick()
        service.run_maintenance()
        service.record_dead_letters("Maintenance")
        service.clock.advance(minutes=5, seconds=1)

    assert handed <= 7
    (letter,) = service.dead_letters("Maintenance")
    assert letter.reason == "there is no RND# in the key WS#ws_1#BAT#b of a due item render"


def test_dead_letter_is_recorded_although_failing_its_render_fails(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    render_id = service.render(mode="async").json["id"]
    message = {"v": 1, "workspace_id": service.workspace, "render_id": render_id}
    queue = service.resources["RendersDeadLetters"]["Ref"]
    service.clients.sqs.send_message(
        QueueUrl=queue, MessageBody=json.dumps(message | {"request_id": "r"})
    )
    # A failed message reappears at once.
    service.clients.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "0"})

    def broken(*_: object, **__: object) -> NoReturn:
        raise KeyError

    monkeypatch.setattr("chalicelib.features.renders.run.end.EndRender.fail_lost", broken)
    failures = 0
    while service.record_dead_letters("Renders"):
        failures += 1

    assert 1 <= failures <= 4
    (letter,) = service.dead_letters("Renders")
    assert letter.outcome == "it could not be ended: KeyError"
