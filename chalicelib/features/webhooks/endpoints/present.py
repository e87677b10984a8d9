"""Webhook endpoint as the API shows it."""

from chalicelib.core.json import Json
from chalicelib.features.webhooks.endpoints.default_ids import DefaultIds
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint


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
