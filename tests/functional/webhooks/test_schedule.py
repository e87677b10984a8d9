"""Times of the eight attempts: never early, never before the one before has ended."""

import datetime as dt
import itertools
import json
from types import SimpleNamespace
from typing import Any, Final

import pytest

from chalicelib.features.webhooks.deliveries import send
from tests.builders.service import Service
from tests.builders.webhooks import DELIVERIES_PATH, deliver, deliveries, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

OFFSETS_S: Final = (0, 5, 300, 2_100, 9_300, 27_300, 63_300, 99_300)
# What a queue rounds, and just more than that.
EARLY: Final = dt.timedelta(seconds=0.5)
TOO_EARLY: Final = dt.timedelta(seconds=0.501)


def repeat_message(service: Service) -> dict[str, Any]:
    """Send the message of the one delivery once more and serve it; return the delivery."""
    (row,) = deliveries(service)
    message = {"v": 1, "workspace_id": service.workspace, "delivery_id": row["id"]}
    service.send("WebhooksSlow", json.dumps(message | {"request_id": "req_1"}))
    service.deliver_webhooks()
    (after,) = deliveries(service)
    return after


def test_messages_that_come_early_are_no_attempts(
    service: Service, receiver: WebhookReceiver
) -> None:
    receiver.status = 500
    make_endpoint(service, receiver.url)
    service.render()
    began = service.clock.now()
    deliver(service)

    (row,) = deliveries(service)
    for number, offset_s in enumerate(OFFSETS_S[1:], start=2):
        due = dt.datetime.fromisoformat(row["next_attempt_at"])
        assert 0.9 * offset_s <= (due - began).total_seconds() <= 1.1 * offset_s
        service.clock.moment = due - TOO_EARLY
        assert len(repeat_message(service)["attempts"]) == number - 1
        service.clock.moment = due - EARLY
        row = repeat_message(service)
        assert len(row["attempts"]) == number

    assert (row["status"], row["next_attempt_at"]) == ("failed", None)
    service.clock.advance(days=2)
    service.tick()
    assert len(repeat_message(service)["attempts"]) == len(receiver.received) == 8
    assert [attempt["number"] for attempt in row["attempts"]] == list(range(1, 9))


def test_attempt_waits_for_the_end_of_the_one_before(
    service: Service, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.statuses = [500]
    make_endpoint(service, receiver.url)
    service.render()
    service.relay_events()
    # Each reading is nine seconds later.
    readings = itertools.count(step=9)
    monkeypatch.setattr(send, "time", SimpleNamespace(monotonic=lambda: next(readings)))
    meanwhile: list[int] = []

    def come_again() -> None:
        service.clock.advance(seconds=8)
        repeat_message(service)
        meanwhile.append(len(receiver.received))

    receiver.before_answer = come_again
    service.deliver_webhooks()

    assert meanwhile == [0]
    (row,) = deliveries(service)
    (attempt,) = row["attempts"]
    began, next_at = map(dt.datetime.fromisoformat, (attempt["at"], row["next_attempt_at"]))
    assert attempt["latency_ms"] == 9_000
    assert next_at - began == dt.timedelta(seconds=9)
    service.clock.moment = next_at
    assert repeat_message(service)["status"] == "succeeded"


def test_replay_takes_no_place_in_the_schedule(service: Service, receiver: WebhookReceiver) -> None:
    receiver.status = 500
    make_endpoint(service, receiver.url)
    service.render()
    began = service.clock.now()
    deliver(service)

    (row,) = deliveries(service)
    for offset_s in OFFSETS_S[1:]:
        assert service.call("POST", f"{DELIVERIES_PATH}/{row['id']}/replay").status == 202
        row = repeat_message(service)
        assert row["status"] == "retrying"
        due = dt.datetime.fromisoformat(row["next_attempt_at"])
        assert 0.9 * offset_s <= (due - began).total_seconds() <= 1.1 * offset_s
        service.clock.moment = due
        row = repeat_message(service)

    assert (row["status"], len(row["attempts"])) == ("failed", 15)
