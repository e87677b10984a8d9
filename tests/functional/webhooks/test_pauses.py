"""Pauses: what they cancel, and what stays."""

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


@pytest.mark.parametrize("how", ["paused", "enabled again", "deleted"])
def test_pause_and_deletion_cancel_retries(
    service: Service, receiver: WebhookReceiver, how: str
) -> None:
    receiver.status = 500
    endpoint = make_endpoint(service, receiver.url)
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"
    service.render()
    deliver(service)
    service.clock.advance(seconds=1)
    if how == "deleted":
        assert service.call("DELETE", path).status == 204
    else:
        assert service.call("PATCH", path, json_body={"enabled": False}).status == 200

    # At once, and for good, also where the endpoint is enabled again before the retry.
    (delivery,) = deliveries(service, "?status=canceled")
    assert (delivery["next_attempt_at"], len(delivery["attempts"])) == (None, 1)
    assert deliveries(service, "?status=retrying") == []
    if how == "enabled again":
        assert service.call("PATCH", path, json_body={"enabled": True}).status == 200
    service.clock.advance(minutes=1)
    service.tick()
    service.deliver_webhooks()

    (after,) = deliveries(service)
    assert after == delivery
    assert len(receiver.received) == 1
    if how != "deleted":
        # A replay of it is one attempt and no more.
        assert service.call("POST", f"{DELIVERIES_PATH}/{after['id']}/replay").status == 202
        service.deliver_webhooks()
        (replayed,) = deliveries(service)
        assert (replayed["status"], len(replayed["attempts"])) == ("canceled", 2)
        assert replayed["next_attempt_at"] is None


def test_enabling_an_enabled_endpoint_cancels_nothing(
    service: Service, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [500]
    endpoint = make_endpoint(service, receiver.url)
    service.render()
    deliver(service)
    service.clock.advance(seconds=1)
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}"
    assert service.call("PATCH", path, json_body={"enabled": True}).status == 200

    service.clock.advance(seconds=6)
    service.tick()
    service.deliver_webhooks()

    assert deliveries(service)[0]["status"] == "succeeded"
