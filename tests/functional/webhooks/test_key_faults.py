"""Faults of the key that seals secrets: the operator's, so no attempt is used up."""

import pytest

from chalicelib.adapters.aws.sealing import KeyUnavailableError, SecretSealer
from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, deliver, deliveries, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver


def test_attempt_waits_until_the_key_works(
    service: Service, receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bytes:
        raise KeyUnavailableError

    endpoint = make_endpoint(service, receiver.url)
    open_secret = SecretSealer.open
    monkeypatch.setattr(SecretSealer, "open", refuse)
    service.render()
    deliver(service)
    for _ in range(12):
        service.clock.advance(hours=12)
        service.tick()
        service.deliver_webhooks()

    (waiting,) = deliveries(service)
    assert (waiting["status"], waiting["attempts"]) == ("pending", [])
    shown = service.call("GET", f"{ENDPOINTS_PATH}/{endpoint['id']}").json
    assert (shown["enabled"], shown["disabled_reason"]) == (True, None)

    monkeypatch.setattr(SecretSealer, "open", open_secret)
    service.clock.advance(hours=1)
    service.tick()
    service.deliver_webhooks()

    assert deliveries(service)[0]["status"] == "succeeded"
