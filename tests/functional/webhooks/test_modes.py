"""Modes: live events never leave over http, and test keys see no headers of live endpoints."""

import pytest

from tests.builders.service import Service
from tests.builders.webhooks import (
    DELIVERIES_PATH,
    ENDPOINTS_PATH,
    deliver,
    deliveries,
    make_endpoint,
)
from tests.fakes.webhook_receiver import WebhookReceiver


@pytest.mark.parametrize("status", [500, 200])
def test_live_delivery_does_not_follow_its_endpoint_to_http(
    service: Service, receiver: WebhookReceiver, status: int
) -> None:
    receiver.status = status
    path = f"{ENDPOINTS_PATH}/{make_endpoint(service, receiver.url)['id']}"
    service.render()
    deliver(service)
    (before,) = deliveries(service)
    assert service.call("PATCH", path, json_body={"url": "http://example.com/"}).status == 200

    (after,) = deliveries(service)
    assert after["status"] == ("succeeded" if status == 200 else "canceled")
    refused = service.call("POST", f"{DELIVERIES_PATH}/{after['id']}/replay")
    assert (refused.status, refused.code) == (409, "conflict")
    service.clock.advance(minutes=3)
    service.tick()
    service.deliver_webhooks()

    assert deliveries(service)[0]["attempts"] == before["attempts"]


def test_replay_that_waits_is_not_sent_to_http(service: Service, receiver: WebhookReceiver) -> None:
    path = f"{ENDPOINTS_PATH}/{make_endpoint(service, receiver.url)['id']}"
    service.render()
    deliver(service)
    (delivery,) = deliveries(service)
    assert service.call("POST", f"{DELIVERIES_PATH}/{delivery['id']}/replay").status == 202
    assert service.call("PATCH", path, json_body={"url": "http://example.com/"}).status == 200

    service.deliver_webhooks()

    (after,) = deliveries(service)
    assert (after["status"], after["next_attempt_at"]) == ("succeeded", None)
    assert after["attempts"] == delivery["attempts"]


def test_test_key_sees_no_headers_of_a_live_endpoint(
    service: Service, receiver: WebhookReceiver
) -> None:
    make_endpoint(service, receiver.url, headers={"Authorization": "Bearer live"})
    body = {"url": receiver.url, "headers": {"X-Own": "1"}}
    made = service.call("POST", ENDPOINTS_PATH, json_body=body, key=service.test)
    assert made.status == 201
    service.render(key=service.test)
    deliver(service)

    listed = service.call("GET", DELIVERIES_PATH, key=service.test).json["data"]
    shown = {
        row["endpoint_id"]: service.call("GET", f"{DELIVERIES_PATH}/{row['id']}", key=service.test)
        for row in listed
    }
    assert len(shown) == 2
    own = shown.pop(made.json["id"]).json
    assert own["request"]["headers"]["x-own" if "x-own" in own["request"]["headers"] else "X-Own"]
    (live,) = shown.values()
    assert (live.json["status"], live.json["request"]) == ("succeeded", None)
    assert b"Bearer live" not in live.body
