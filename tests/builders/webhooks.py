"""Webhooks of a service: a receiver that egress may reach, endpoints and their deliveries."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from chalicelib.core.clock import format_rfc3339
from chalicelib.features.webhooks.signature import SECRET_PREFIX
from chalicelib.settings import ApiSettings
from tests.builders.aws_actions import acting_as
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.fakes.raw_server import RawServer
from tests.fakes.webhook_receiver import ReceivedWebhook, WebhookReceiver, webhook_receiver

ENDPOINTS_PATH: Final = "/v1/webhook-endpoints"
DELIVERIES_PATH: Final = "/v1/webhook-deliveries"


@contextmanager
def receiver_of(service: Service) -> Iterator[WebhookReceiver]:
    """Run a receiver that a service may send to.

    At the end the public library verifies each delivery, with the secrets that the API has shown.
    """
    secrets: list[str] = []
    call, send = service.call, service.deliver_webhooks

    def call_and_keep_secrets(*arguments: Any, **more: Any) -> ApiAnswer:
        answer = call(*arguments, **more)
        shown = answer.json if answer.body.startswith(b"{") else {}
        secret = str(shown.get("secret", ""))
        # Signed links have secrets of another kind.
        secrets.extend([secret] if secret.startswith(SECRET_PREFIX) else [])
        return answer

    def send_and_keep_secret() -> list[str]:
        failed = send()
        # Those of both modes sign for addresses of requests while no endpoint is the default.
        call_and_keep_secrets("GET", f"{ENDPOINTS_PATH}/default-secret")
        with acting_as("APIHandler"):
            of_tests = service.services.webhooks.secrets.request_secret(service.workspace, "test")
        secrets.extend([of_tests] if of_tests else [])
        return failed

    with (
        webhook_receiver(service.clock.now) as running,
        patch.object(service, "call", call_and_keep_secrets),
        patch.object(service, "deliver_webhooks", send_and_keep_secret),
    ):
        allow_receiver(service, running)
        yield running
    for received in running.received:
        received.verified(secrets)


def allow_receiver(service: Service, receiver: WebhookReceiver | RawServer) -> None:
    """Let egress reach a receiver on this machine; before the first request to the service."""
    allowed = {"egress_allow": f"127.0.0.1/32:{receiver.port}"}
    service.settings = ApiSettings(**vars(service.settings) | allowed)


def send_sample(service: Service, server: RawServer, url: str = "") -> dict[str, Any]:
    """Send a sample to a server, and return its delivery in full.

    The public library verifies the received request.
    """
    if "services" not in vars(service):
        allow_receiver(service, server)
    earlier = len(server.requests)
    endpoint = make_endpoint(service, url or server.url("/hook?token=hidden"))
    path = f"{ENDPOINTS_PATH}/{endpoint['id']}/test"
    sample = service.call("POST", path, json_body={"event": "render.failed"})
    assert sample.status == 202, sample.body
    service.deliver_webhooks()
    for request in server.requests[earlier:]:
        head, _, body = request.partition(b"\r\n\r\n")
        lines = [line.partition(b": ") for line in head.split(b"\r\n")[1:]]
        headers = {name.decode().lower(): value.decode() for name, _, value in lines}
        ReceivedWebhook("", headers, body, service.clock.now()).verified([endpoint["secret"]])
    delivery: dict[str, Any] = service.call("GET", f"{DELIVERIES_PATH}/{sample.json['id']}").json
    return delivery


def failed_attempt(service: Service, server: RawServer, url: str = "") -> dict[str, Any]:
    """Send a sample to a server, and return its attempt, which has no answer and is repeated."""
    delivery = send_sample(service, server, url)
    (attempt,) = delivery["attempts"]
    assert delivery["status"] == "retrying"
    assert (attempt["status_code"], attempt["response_excerpt"]) == (None, None)
    assert "hidden" not in attempt["error"]
    return dict(attempt)


def make_endpoint(service: Service, url: str, **fields: Any) -> dict[str, Any]:
    """Create an endpoint and return it with its secret."""
    answer = service.call("POST", ENDPOINTS_PATH, json_body={"url": url, **fields})
    assert answer.status == 201, answer.body
    endpoint: dict[str, Any] = answer.json
    return endpoint


def deliver(service: Service) -> None:
    """Publish the events that wait, and make the attempts that are due."""
    service.relay_events()
    service.deliver_webhooks()


def deliveries(service: Service, query: str = "") -> list[dict[str, Any]]:
    """Return the deliveries of a list in full."""
    listed = service.call("GET", f"{DELIVERIES_PATH}{query}").json["data"]
    return [service.call("GET", f"{DELIVERIES_PATH}/{row['id']}").json for row in listed]


def leases_held(service: Service) -> list[str]:
    """Return the leases of both queues that have not run out."""
    now = format_rfc3339(service.clock.now())
    pk = f"WS#{service.workspace}#WHE"
    page = service.main_table.query(
        "PK = :pk AND begins_with(SK, :leases)",
        {":pk": pk, ":leases": "LEASES#"},
    )
    return sorted(
        text
        for row in page.items
        for texts in row.values()
        if isinstance(texts, set)
        for text in texts
        if text > now
    )
