"""Webhooks of a service: a receiver that egress may reach, endpoints and their deliveries."""

from typing import Any, Final

from chalicelib.core.clock import format_rfc3339
from chalicelib.settings import ApiSettings
from tests.builders.service import Service
from tests.fakes.webhook_receiver import WebhookReceiver

ENDPOINTS_PATH: Final = "/v1/webhook-endpoints"
DELIVERIES_PATH: Final = "/v1/webhook-deliveries"


def allow_receiver(service: Service, receiver: WebhookReceiver) -> None:
    """Let egress reach a receiver on this machine; before the first request to the service."""
    allowed = {"egress_allow": f"127.0.0.1/32:{receiver.port}"}
    service.settings = ApiSettings(**vars(service.settings) | allowed)


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
    page = service.services.state.tables.query(
        service.settings.main_table,
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
