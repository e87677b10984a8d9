"""Events: written with the change, delivered once to each subscriber, sent again when lost."""

import json

import pytest
from botocore.exceptions import ConnectionClosedError

from chalicelib.adapters.aws.table import Write
from chalicelib.features.events.model import (
    PublishEvent,
)
from tests.builders.recording_subscriber import RecordingSubscriber, message_of, relay_of
from tests.builders.service import Service


def test_event_is_published_and_kept(service: Service) -> None:
    render = service.render().json

    assert service.relay_events() == []

    (event,) = service.events(render["id"])
    assert event["published_at"] >= event["created_at"]
    assert "due_at" not in event
    assert service.usage() == {"live_succeeded": 1, "billed": 1}


def test_repeated_event_message_is_published_once(service: Service) -> None:
    render = service.render().json
    (event,) = service.events(render["id"])
    for _ in range(3):
        service.send("Events", json.dumps(message_of(event).to_json()))

    assert service.relay_events() == []

    assert service.usage() == {"live_succeeded": 1, "billed": 1}
    assert service.tick() == 0


def test_failing_subscriber_does_not_repeat_delivery_to_others(service: Service) -> None:
    (event,) = service.events(service.render().json["id"])
    first, second = RecordingSubscriber(service, "first"), RecordingSubscriber(service, "second")
    relay = relay_of(service, first, second)

    second.fails = True
    message = message_of(event)
    assert isinstance(relay.publish([message])[message], RuntimeError)
    assert (first.deliveries, second.deliveries) == (0, 0)
    second.fails = False
    assert relay.publish([message]) == {}
    assert relay.publish([message]) == {}

    assert (first.deliveries, second.deliveries) == (1, 1)


def test_unsent_event_is_published_after_a_minute(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(**_: object) -> None:
        raise ConnectionClosedError(endpoint_url="https://sqs.test")

    with monkeypatch.context() as broken:
        broken.setattr(service.clients.sqs, "send_message", down)
        assert service.render().status == 200
    assert service.relay_events() == []
    assert service.usage() == {}

    service.clock.advance(seconds=59)
    assert service.tick() == 0
    service.clock.advance(seconds=2)
    assert service.tick() == 1
    service.relay_events()

    assert service.usage() == {"live_succeeded": 1, "billed": 1}


def test_each_final_state_is_counted(service: Service) -> None:
    service.render()
    service.render(key=service.test)
    service.render(key=service.test, input={"type": "html", "html": "{{", "templating": True})
    service.engine.page_count = 5_000
    assert service.render().code == "page_limit_exceeded"

    while service.relay_events() or service.tick():
        pass

    usage = service.usage()
    assert usage["billed"] == 1
    assert usage["live_succeeded"] == 1
    assert usage["live_failed"] == 1
    assert usage["test_succeeded"] == 2


@pytest.mark.parametrize("settled", [True, False])
def test_relay_settles_renders_of_a_killed_function(service: Service, *, settled: bool) -> None:
    render_id = service.render().json["id"]
    render = service.services.state.renders.get(service.workspace, render_id)
    assert render is not None
    # The state after a function is killed between the final state and its settlement.
    service.main_table.write(
        Write(
            service.main_table,
            key={"PK": f"WS#{service.workspace}#LIM", "SK": "META"},
            update="SET holds.#r = :hold, leases.#r = :until, used = used - :one",
            names={"#r": render_id},
            values={":hold": render.reservation.source, ":until": 9_999_999_999, ":one": 1},
        )
    )
    (event,) = service.events(render_id)
    service.clients.sqs.purge_queue(QueueUrl=service.settings.events_queue_url)
    message = PublishEvent(event["PK"], event["SK"], settled=settled)
    service.send("Events", json.dumps(message.to_json()))

    service.relay_events()

    taken = service.limits()
    assert taken["used"] == (0 if settled else 1)
    assert (len(taken["holds"]), len(taken["leases"])) == ((1, 1) if settled else (0, 0))
