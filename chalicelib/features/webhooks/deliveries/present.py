"""Webhook delivery as the API shows it."""

from collections.abc import Sequence

from chalicelib.core.json import Json
from chalicelib.core.redact_url import redacted_url
from chalicelib.features.webhooks.deliveries.model import DeliveryAttempt, WebhookDelivery


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
