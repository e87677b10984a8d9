"""Default endpoint: the first one, moved by a change, and what it signs."""

import pytest
from standardwebhooks.webhooks import Webhook

from chalicelib.core.clock import SystemClock
from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, deliver, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

URL = "https://hooks.example.com/"


def defaults(service: Service) -> list[str]:
    listed = service.call("GET", ENDPOINTS_PATH).json["data"]
    return [row["id"] for row in listed if row["is_default"]]


def test_another_endpoint_becomes_the_default(service: Service) -> None:
    first, second = (make_endpoint(service, URL) for _ in range(2))
    assert defaults(service) == [first["id"]]

    for _ in range(2):
        path = f"{ENDPOINTS_PATH}/{second['id']}"
        changed = service.call("PATCH", path, json_body={"is_default": True, "description": "x"})
        assert (changed.json["is_default"], changed.json["description"]) == (True, "x")
        assert defaults(service) == [second["id"]]

    assert service.call("DELETE", f"{ENDPOINTS_PATH}/{second['id']}").status == 204
    assert defaults(service) == [first["id"]]


@pytest.mark.parametrize("value", [False, None, "true"])
def test_default_is_moved_to_an_endpoint_only(service: Service, value: object) -> None:
    path = f"{ENDPOINTS_PATH}/{make_endpoint(service, URL)['id']}"

    answer = service.call("PATCH", path, json_body={"is_default": value})

    assert (answer.code, answer.pointers) == ("validation_error", ["/is_default"])


def test_webhooks_of_requests_are_signed_by_the_new_default(
    service: Service, receiver: WebhookReceiver
) -> None:
    service.clock.moment = SystemClock().now().replace(microsecond=0)
    make_endpoint(service, receiver.url, events=["template.published"])
    second = make_endpoint(service, receiver.url, events=["template.published"])
    path = f"{ENDPOINTS_PATH}/{second['id']}"
    assert service.call("PATCH", path, json_body={"is_default": True}).status == 200
    service.render(webhook={"url": receiver.url})

    deliver(service)

    (received,) = receiver.received
    Webhook(second["secret"]).verify(received.body.decode(), received.headers)
