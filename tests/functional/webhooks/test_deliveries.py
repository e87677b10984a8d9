"""Deliveries: from an event to the receiver, retries, and the log."""

import datetime as dt
import json
from typing import Any

import pytest

from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.builders.templates import make_template
from tests.builders.webhooks import (
    DELIVERIES_PATH,
    ENDPOINTS_PATH,
    deliver,
    deliveries,
    make_endpoint,
)
from tests.fakes.webhook_receiver import WebhookReceiver

OFFSETS_S = (0, 5, 300, 2_100, 9_300, 27_300, 63_300, 99_300)


def test_event_reaches_the_endpoint_signed(service: Service, receiver: WebhookReceiver) -> None:
    endpoint = make_endpoint(service, receiver.url, headers={"X-Own": "value"})
    render = service.render(reference="Größe").json

    deliver(service)

    (received,) = receiver.received
    body = received.verified([endpoint["secret"]])
    assert body["type"] == "render.succeeded"
    assert body["workspace_id"] == service.workspace
    assert body["region"] == "eu"
    assert body["id"] == received.headers["webhook-id"]
    assert body["created_at"] == render["completed_at"]
    shown = service.call("GET", f"/v1/renders/{render['id']}").json
    # Only the route of one render reads its emails.
    assert body["data"]["object"] | {"email": []} == shown
    assert shown["files"][0]["url"]
    assert received.headers["x-own"] == "value"
    assert received.headers["content-type"] == "application/json"
    assert received.headers["user-agent"] == "Platen-Webhooks/1.0"
    (delivery,) = deliveries(service)
    assert delivery["status"] == "succeeded"
    assert delivery["endpoint_id"] == endpoint["id"]
    assert delivery["request"]["body"] == json.loads(received.body)
    assert delivery["request"]["url"] == receiver.url
    (attempt,) = delivery["attempts"]
    assert (attempt["number"], attempt["status_code"], attempt["error"]) == (1, 200, None)
    assert attempt["response_excerpt"] == "thanks"
    # A message that comes again sends nothing.
    service.tick()
    service.deliver_webhooks()
    assert len(receiver.received) == 1


def test_all_attempts_follow_the_schedule(service: Service, receiver: WebhookReceiver) -> None:
    receiver.status = 500
    make_endpoint(service, receiver.url)
    service.render()
    started = service.clock.now()
    deliver(service)

    times = [started]
    while (row := deliveries(service)[0])["status"] == "retrying":
        due = dt.datetime.fromisoformat(row["next_attempt_at"])
        service.clock.moment = due - dt.timedelta(seconds=1)
        service.tick()
        service.deliver_webhooks()
        assert len(receiver.received) == len(times)
        service.clock.moment = due
        service.clock.advance(minutes=2 if due - times[-1] > dt.timedelta(minutes=15) else 0)
        times.append(due)
        service.tick()
        service.deliver_webhooks()

    assert row["status"] == "failed"
    assert row["next_attempt_at"] is None
    assert [attempt["number"] for attempt in row["attempts"]] == list(range(1, 9))
    assert {attempt["status_code"] for attempt in row["attempts"]} == {500}
    for moment, offset in zip(times, OFFSETS_S, strict=True):
        assert abs((moment - started).total_seconds() - offset) <= 0.1 * offset + 0.01
    ids = {received.headers["webhook-id"] for received in receiver.received}
    assert len(ids) == 1
    assert len({received.body for received in receiver.received}) == 1


def test_success_of_a_retry_ends_the_delivery(service: Service, receiver: WebhookReceiver) -> None:
    receiver.statuses = [503]
    make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    assert deliveries(service, "?status=retrying")[0]["attempts"][0]["status_code"] == 503

    service.clock.advance(seconds=6)
    service.tick()
    service.deliver_webhooks()

    (delivery,) = deliveries(service)
    assert delivery["status"] == "succeeded"
    assert [attempt["status_code"] for attempt in delivery["attempts"]] == [503, 200]
    assert deliveries(service, "?status=retrying") == []


@pytest.mark.parametrize("status", [301, 307, 400, 404, 410, 429])
def test_other_answers_are_failures(
    service: Service, receiver: WebhookReceiver, status: int
) -> None:
    receiver.status = status
    make_endpoint(service, receiver.url)
    service.render()

    deliver(service)

    (delivery,) = deliveries(service)
    assert (delivery["status"], delivery["attempts"][0]["status_code"]) == ("retrying", status)
    assert len(receiver.received) == 1


def test_filters_choose_the_events(service: Service, receiver: WebhookReceiver) -> None:
    path = make_template(service, publish=True)
    template_id = path.rpartition("/")[2]
    service.relay_events()
    failing = make_endpoint(service, receiver.url, events=["render.failed"])
    of_template = make_endpoint(service, receiver.url, template_ids=[template_id])
    paused = make_endpoint(service, receiver.url, enabled=False, events=["render.succeeded"])
    service.render()
    deliver(service)
    assert receiver.received == []

    service.render(input={"type": "template", "template_id": template_id})
    deliver(service)

    assert len(receiver.received) == 1
    by_endpoint = {
        endpoint["id"]: [
            row["status"] for row in deliveries(service, f"?endpoint_id={endpoint['id']}")
        ]
        for endpoint in (failing, of_template, paused)
    }
    assert by_endpoint == {
        failing["id"]: [],
        of_template["id"]: ["succeeded"],
        paused["id"]: ["canceled", "canceled"],
    }


def test_endpoint_of_a_test_key_gets_test_events(
    service: Service, receiver: WebhookReceiver
) -> None:
    body = {"url": receiver.url}
    assert service.call("POST", ENDPOINTS_PATH, json_body=body, key=service.test).status == 201
    service.render()
    deliver(service)
    assert receiver.received == []

    service.render(key=service.test)
    deliver(service)

    assert json.loads(receiver.received[0].body)["data"]["object"]["test"] is True


def test_test_key_sees_nothing_of_live_events(service: Service, receiver: WebhookReceiver) -> None:
    endpoint = make_endpoint(service, receiver.url)
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"
    for key in (service.live, service.test):
        service.render(key=key)
    deliver(service)
    live, test = sorted(
        deliveries(service), key=lambda row: row["request"]["body"]["data"]["object"]["test"]
    )

    listed = service.call("GET", DELIVERIES_PATH, key=service.test).json["data"]
    assert [row["id"] for row in listed] == [test["id"]]
    for method, target in (
        ("GET", f"{DELIVERIES_PATH}/{live['id']}"),
        ("POST", f"{DELIVERIES_PATH}/{live['id']}/replay"),
        ("GET", path),
        ("PATCH", path),
        ("DELETE", path),
    ):
        body: dict[str, Any] | None = {} if method == "PATCH" else None
        answer = service.call(method, target, json_body=body, key=service.test)
        assert answer.code == "not_found"
    assert service.call("GET", ENDPOINTS_PATH, key=service.test).json["data"] == []


def replay(service: Service, delivery: dict[str, Any]) -> ApiAnswer:
    return service.call("POST", f"{DELIVERIES_PATH}/{delivery['id']}/replay")


def test_replay_sends_once_more(service: Service, receiver: WebhookReceiver) -> None:
    endpoint = make_endpoint(service, receiver.url, enabled=False)
    service.render()
    deliver(service)
    (canceled,) = deliveries(service)
    assert (canceled["status"], canceled["attempts"], canceled["request"]) == ("canceled", [], None)
    receiver.statuses = [500]

    for expected in ("canceled", "succeeded"):
        assert replay(service, canceled).status == 202
        service.deliver_webhooks()
        (row,) = deliveries(service)
        assert (row["status"], row["next_attempt_at"]) == (expected, None)

    (row,) = deliveries(service)
    assert [attempt["number"] for attempt in row["attempts"]] == [1, 2]
    assert len({each.headers["webhook-id"] for each in receiver.received}) == 1
    assert service.call("DELETE", f"{ENDPOINTS_PATH}/{endpoint['id']}").status == 204
    assert (replay(service, row).status, replay(service, row).code) == (409, "conflict")
    assert len(deliveries(service)) == 1


def test_large_payload_is_sent_and_removed_with_its_log(
    service: Service, receiver: WebhookReceiver
) -> None:
    make_endpoint(service, receiver.url)
    metadata = {f"k{n}": "x" * 490 for n in range(40)}
    render = service.render(metadata=metadata).json
    deliver(service)

    assert json.loads(receiver.received[0].body)["data"]["object"]["id"] == render["id"]
    assert any("/webhooks/" in key for key in service.objects())
    (delivery,) = deliveries(service)
    assert delivery["request"]["body"]["data"]["object"]["metadata"] == metadata
    service.clock.advance(days=30, seconds=1)
    service.tick()
    service.deliver_webhooks()
    assert deliveries(service) == []
    assert service.call("GET", f"{DELIVERIES_PATH}/{delivery['id']}").status == 404
    assert not any("/webhooks/" in key for key in service.objects())
