"""Objects of the contract: webhook endpoint and webhook delivery."""

from collections.abc import Sequence

from chalicelib.core.json import Json
from chalicelib.core.redact_url import redacted_url
from chalicelib.features.webhooks.endpoints.default_ids import DefaultIds
from chalicelib.features.webhooks.model import DeliveryAttempt, WebhookDelivery, WebhookEndpoint


def endpoint_json(endpoint: WebhookEndpoint, defaults: DefaultIds) -> dict[str, Json]:
    """Return an endpoint as JSON, without its secret."""
    return {
        "id": endpoint.id,
        "object": "webhook_endpoint",
        "url": endpoint.url,
        "description": endpoint.description,
        "events": list(endpoint.events),
        "template_ids": list(endpoint.template_ids),
        "headers": dict(endpoint.headers),
        "enabled": endpoint.enabled,
        "is_default": endpoint.id in defaults.values(),
        "disabled_reason": endpoint.disabled_reason,
        "previous_secret_expires_at": endpoint.previous_secret_expires_at,
        "created_at": endpoint.created_at,
        "updated_at": endpoint.updated_at,
    }


def delivery_json(delivery: WebhookDelivery) -> dict[str, Json]:
    """Return a delivery as JSON, as lists show it."""
    return {
        "id": delivery.id,
        "object": "webhook_delivery",
        "endpoint_id": delivery.endpoint_id,
        "event_id": delivery.event_id,
        "event_type": delivery.event_type,
        "status": delivery.status,
        "next_attempt_at": delivery.next_attempt_at,
        "created_at": delivery.created_at,
    }


def delivery_detail_json(
    delivery: WebhookDelivery, attempts: Sequence[DeliveryAttempt], body: Json
) -> dict[str, Json]:
    """Return a delivery with its attempts and the request as it was last sent."""
    request: Json = None
    if delivery.sent_headers is not None:
        headers = dict(delivery.sent_headers)
        url = delivery.sent_url
        if url is not None and delivery.endpoint_id is None:
            # A request gave it; an endpoint's stands in the endpoint.
            url = redacted_url(url)
        request = {"url": url, "headers": headers, "body": body}
    return delivery_json(delivery) | {
        "attempts": [attempt._asdict() for attempt in attempts],
        "request": request,
    }
