"""Subscriber that writes a delivery of each public event for each endpoint that hears it."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, override

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Item, Write
from chalicelib.core import json
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import DeliveryId, WorkspaceId, derived_id
from chalicelib.core.json import JsonObject
from chalicelib.features.events.model import (
    DomainEvent,
    EventDelivery,
    EventType,
    OutgoingMessage,
    RowKey,
    Subscriber,
)
from chalicelib.features.webhooks.deliveries import Deliveries
from chalicelib.features.webhooks.endpoints import Endpoints, endpoints_partition
from chalicelib.features.webhooks.message import DeliverWebhook
from chalicelib.features.webhooks.model import WebhookDelivery, WebhookEndpoint

# A delivery's row is written with each of its attempts.
_MAX_INLINE_BYTES: Final = 16_000

# Returns the object that an event shows: as it was at the event, with fresh file URLs.
type PresentObject = Callable[[EventType, DomainEvent, Item], JsonObject]


class QueueWebhooks(Subscriber):
    """Writes deliveries in the transaction of the relay, and sends them to their queue."""

    def __init__(
        self,
        *,
        types: Sequence[EventType],
        endpoints: Endpoints,
        deliveries: Deliveries,
        objects: Objects,
        present: PresentObject,
    ) -> None:
        """Hear the public ones of `types`."""
        self.types = frozenset(each.name for each in types if each.is_public)
        self._endpoints = endpoints
        self._deliveries = deliveries
        self._objects = objects
        self._present = present
        self._planned: dict[str, list[tuple[WebhookEndpoint, WebhookDelivery]]] = {}

    @override
    def companions(self, workspace_id: WorkspaceId) -> Sequence[RowKey]:
        """Return the key of the row with the number of endpoints: most workspaces have none."""
        return [(endpoints_partition(workspace_id), "META")]

    @override
    def prepare(self, deliveries: Sequence[EventDelivery]) -> None:
        """Read the endpoints of the workspace, and store large payloads."""
        workspace_id, rows = deliveries[0].event.workspace_id, deliveries[0].companions
        (key,) = self.companions(workspace_id)
        has_endpoints = rows.get(key, {}).get("endpoint_count", 0) > 0
        endpoints = self._endpoints.all(workspace_id) if has_endpoints else []
        self._planned = {each.event.id: self._plan(each, endpoints) for each in deliveries}

    @override
    def writes(self, deliveries: Sequence[EventDelivery]) -> Sequence[Write]:
        """Return the writes of the deliveries."""
        return [
            self._deliveries.creation(delivery)
            for each in deliveries
            for _, delivery in self._planned[each.event.id]
        ]

    @override
    def follow_up(self, deliveries: Sequence[EventDelivery]) -> Sequence[OutgoingMessage]:
        """Return the messages of new deliveries; after a crash they are due items."""
        return [
            OutgoingMessage(
                "webhooks_slow" if endpoint.is_slow else "webhooks",
                QueueMessage(
                    DeliverWebhook(
                        delivery.workspace_id, delivery.id, delivery.request_id
                    ).to_json(),
                    delivery.workspace_id,
                ),
            )
            for each in deliveries
            for endpoint, delivery in self._planned.pop(each.event.id, ())
            if delivery.status == "pending"
        ]

    def _plan(
        self, event_delivery: EventDelivery, endpoints: Sequence[WebhookEndpoint]
    ) -> list[tuple[WebhookEndpoint, WebhookDelivery]]:
        row = event_delivery.subject_row
        template_id = row.get("template_id", event_delivery.event.detail.get("template_id"))
        hearers = [
            endpoint
            for endpoint in endpoints
            if endpoint.hears(event_delivery.event.type, template_id, test=row.get("test") is True)
        ]
        if not hearers:
            return []
        payload, payload_key = self._store_payload(event_delivery)
        return [
            (endpoint, _new_delivery(event_delivery, endpoint, payload, payload_key))
            for endpoint in hearers
        ]

    def _store_payload(self, event_delivery: EventDelivery) -> tuple[str | None, str | None]:
        event = event_delivery.event
        shown = self._present(event_delivery.type, event, event_delivery.subject_row)
        text = json.dumps(event_body(event, shown, event_delivery.region))
        if len(text.encode()) <= _MAX_INLINE_BYTES:
            return text, None
        key = payload_key(event.workspace_id, event.id)
        body = text.encode()
        self._objects.put(
            key, body, content_type="application/json", sha256=hashlib.sha256(body).digest()
        )
        return None, key


def event_body(event: DomainEvent, shown: JsonObject, region: str) -> JsonObject:
    """Return the body of a webhook (interface, Delivery format)."""
    return {
        "id": event.id,
        "type": event.type,
        "created_at": event.created_at,
        "workspace_id": event.workspace_id,
        "region": region,
        "data": {"object": shown},
    }


def payload_key(workspace_id: WorkspaceId, event_id: str) -> str:
    """Return the key of the object of a large payload."""
    return f"ws/{workspace_id}/webhooks/{event_id}"


def _new_delivery(
    event_delivery: EventDelivery,
    endpoint: WebhookEndpoint,
    payload: str | None,
    key: str | None,
) -> WebhookDelivery:
    event = event_delivery.event
    moment = parse_rfc3339(event.created_at)
    return WebhookDelivery(
        id=DeliveryId(derived_id("whd", moment, event.id, endpoint.id)),
        workspace_id=event.workspace_id,
        endpoint_id=endpoint.id,
        event_id=event.id,
        event_type=event.type,
        status="pending" if endpoint.enabled else "canceled",
        test=event_delivery.subject_row.get("test") is True,
        created_at=event.created_at,
        request_id=event.request_id,
        payload=payload,
        payload_key=key,
        next_attempt_at=event.created_at if endpoint.enabled else None,
    )
