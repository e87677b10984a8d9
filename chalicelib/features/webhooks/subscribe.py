"""Subscriber that writes a delivery of each public event for each receiver of it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, override

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Row, Write
from chalicelib.core import json
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import DeliveryId, WorkspaceId, derived_id
from chalicelib.core.json import JsonObject
from chalicelib.features.events.model import (
    DomainEvent,
    EventDelivery,
    EventType,
    OutgoingMessage,
    PublishEvent,
    RowKey,
    Subscriber,
)
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.model import Receiver, WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import Endpoints, endpoints_partition
from chalicelib.features.webhooks.request_webhook import RequestWebhook

# A delivery's row is written with each of its attempts.
_MAX_INLINE_BYTES: Final = 16_000
# Deliveries of one event in one transaction; a next step writes the others (decision 38).
MAX_OF_STEP: Final = 40

# The next step of an event: its detail has what the first step found.
WEBHOOK_STEP: Final = EventType("webhook.step")


class EventView(Protocol):
    """View of the events of one workspace: the objects that webhooks show of their subjects."""

    def present(self, event_type: EventType, event: DomainEvent, row: Row) -> JsonObject:
        """Return the object that an event shows: as it was then, with fresh file URLs."""
        ...

    def request_webhook(self, event_type: EventType, row: Row) -> RequestWebhook | None:
        """Return the webhook that the request behind an event has named, or None."""
        ...

    def is_internal(self, event_type: EventType, row: Row) -> bool:
        """Tell whether an event of a public type stays inside, as those of a batch's items do."""
        ...


class _Source(NamedTuple):
    """Event of a step; `after` and `payload_key` are those that an earlier step left."""

    event_id: str
    event_type: str
    row: Row
    origin: EventDelivery
    after: str = ""
    payload_key: str | None = None

    @classmethod
    def of(cls, each: EventDelivery) -> "_Source":
        event = each.event
        if event.type != WEBHOOK_STEP.name:
            return cls(event.id, event.type, each.subject_row, each)
        step = {name: str(value) for name, value in event.detail.items()}
        return cls(
            step["event_id"],
            step["event_type"],
            each.subject_row,
            each,
            step["after"],
            step["payload_key"],
        )

    @property
    def template_id(self) -> str | None:
        """Return the template that the event is of, or None."""
        template_id = self.row.get("template_id", self.origin.event.detail.get("template_id"))
        return None if template_id is None else str(template_id)

    @property
    def is_test(self) -> bool:
        """Tell whether the event is of a test render."""
        return self.row.get("test") is True


class WebhookPlan(NamedTuple):
    """Deliveries of one step, those to slow endpoints apart, and the event of the next step."""

    deliveries: Sequence[WebhookDelivery] = ()
    slow_ids: frozenset[str] = frozenset()
    next_step: DomainEvent | None = None


class QueueWebhooks(Subscriber[WebhookPlan]):
    """Writes deliveries in the transaction of the relay, and sends them to their queue."""

    def __init__(
        self,
        *,
        types: Sequence[EventType],
        endpoints: Endpoints,
        deliveries: Deliveries,
        outbox: EventOutbox,
        objects: Objects,
        view: Callable[[WorkspaceId], EventView],
    ) -> None:
        """Subscribe to the public ones of `types`; `view` reads the data of one call once."""
        self._types = {each.name: each for each in types}
        self.types = frozenset(each.name for each in types if each.is_public) | {WEBHOOK_STEP.name}
        self._endpoints = endpoints
        self._deliveries = deliveries
        self._outbox = outbox
        self._objects = objects
        self._view = view

    @override
    def companions(self, workspace_id: WorkspaceId) -> Sequence[RowKey]:
        """Return the key of the row with the number of endpoints: most workspaces have none."""
        return [(endpoints_partition(workspace_id), "META")]

    @override
    def prepare(self, deliveries: Sequence[EventDelivery]) -> Mapping[str, WebhookPlan]:
        """Read the endpoints of the workspace, and store large payloads."""
        workspace_id, rows = deliveries[0].event.workspace_id, deliveries[0].companions
        (key,) = self.companions(workspace_id)
        has_endpoints = rows.get(key, {}).get("endpoint_count", 0) > 0
        endpoints = self._endpoints.all(workspace_id) if has_endpoints else []
        view = self._view(workspace_id)
        return {each.event.id: self._plan(each, endpoints, view) for each in deliveries}

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, WebhookPlan]
    ) -> Sequence[Write]:
        """Return the writes of the deliveries, and of the event of a next step."""
        planned = [plans[each.event.id] for each in deliveries]
        steps = [plan.next_step for plan in planned if plan.next_step is not None]
        return [
            *(
                self._deliveries.creation(delivery)
                for plan in planned
                for delivery in plan.deliveries
            ),
            *(self._outbox.creation(step) for step in steps),
        ]

    @override
    def follow_up(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, WebhookPlan]
    ) -> Sequence[OutgoingMessage]:
        """Return the messages of new deliveries and steps; after a crash they are due items."""
        messages = []
        for each in deliveries:
            plan = plans.get(each.event.id, WebhookPlan())
            messages += [
                _message(delivery, plan) for delivery in plan.deliveries if delivery.is_open
            ]
            if plan.next_step is not None:
                body = PublishEvent.of_event(plan.next_step, settled=True).to_json()
                group = plan.next_step.workspace_id
                messages.append(OutgoingMessage("events", QueueMessage(body, group)))
        return messages

    def _plan(
        self, each: EventDelivery, endpoints: Sequence[WebhookEndpoint], view: EventView
    ) -> WebhookPlan:
        source = _Source.of(each)
        event_type = self._types[source.event_type]
        if view.is_internal(event_type, source.row):
            return WebhookPlan()
        receivers = [
            Receiver(endpoint.url, endpoint)
            for endpoint in endpoints
            if endpoint.id > source.after
            and endpoint.is_subscribed(source.event_type, source.template_id, test=source.is_test)
        ]
        request = view.request_webhook(event_type, source.row)
        if not source.after and request is not None and source.event_type in request.events:
            receivers.insert(0, Receiver(request.url, None))
        if not receivers:
            return WebhookPlan()
        now, later = receivers[:MAX_OF_STEP], receivers[MAX_OF_STEP:]
        text, key = None, source.payload_key
        if key is None:
            text, key = self._store_payload(source, event_type, view, as_object=bool(later))
        return WebhookPlan(
            deliveries=[_new_delivery(source, receiver, text, key) for receiver in now],
            slow_ids=frozenset(
                endpoint.id for _, endpoint in now if endpoint is not None and endpoint.is_slow
            ),
            next_step=_next_step(source, now[-1], key) if later else None,
        )

    def _store_payload(
        self, source: _Source, event_type: EventType, view: EventView, *, as_object: bool
    ) -> tuple[str | None, str | None]:
        """Return the payload, or the key of its object if it is large or of several steps."""
        event = source.origin.event
        shown = view.present(event_type, event, source.row)
        text = json.dumps(event_body(event, shown, source.origin.region))
        body = text.encode()
        if len(body) <= _MAX_INLINE_BYTES and not as_object:
            return text, None
        key = payload_key(event.workspace_id, event.id)
        self._objects.put(
            key, body, content_type="application/json", sha256=hashlib.sha256(body).digest()
        )
        crash_if_armed(CrashPoint.WEBHOOK_PAYLOAD_STORED)
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
    """Return the key of the object of a large payload.

    A relay that dies before its transaction leaves an object without a delivery, if nobody gets
    the event any more: a lifecycle rule of this prefix removes it.
    """
    return f"log/ws/{workspace_id}/webhooks/{event_id}"


def _message(delivery: WebhookDelivery, plan: WebhookPlan) -> OutgoingMessage:
    body = DeliverWebhook(delivery.workspace_id, delivery.id, delivery.request_id).to_json()
    queue = "webhooks_slow" if delivery.endpoint_id in plan.slow_ids else "webhooks"
    return OutgoingMessage(queue, QueueMessage(body, delivery.workspace_id))


def _next_step(source: _Source, last: Receiver, key: str | None) -> DomainEvent:
    assert last.endpoint is not None, "only the first receiver is that of a request"
    assert key is not None, "a payload of several steps is an object"
    after = last.endpoint.id
    event = source.origin.event
    moment = parse_rfc3339(event.created_at)
    return event._replace(
        id=derived_id("evt", moment, source.event_id, after),
        type=WEBHOOK_STEP.name,
        detail={
            **event.detail,
            "event_id": source.event_id,
            "event_type": source.event_type,
            "after": after,
            "payload_key": key,
        },
    )


def _new_delivery(
    source: _Source, receiver: Receiver, payload: str | None, key: str | None
) -> WebhookDelivery:
    event, endpoint = source.origin.event, receiver.endpoint
    moment = parse_rfc3339(event.created_at)
    name = "request" if endpoint is None else endpoint.id
    delivery = WebhookDelivery(
        id=DeliveryId(derived_id("whd", moment, source.event_id, name)),
        workspace_id=event.workspace_id,
        endpoint_id=endpoint.id if endpoint else None,
        event_id=source.event_id,
        event_type=source.event_type,
        status="pending",
        test=source.is_test,
        created_at=event.created_at,
        request_id=event.request_id,
        payload=payload,
        payload_key=key,
        url=None if endpoint else receiver.url,
        next_attempt_at=event.created_at,
        template_id=source.template_id,
        traceparent=source.row.get("traceparent"),
    )
    return delivery if endpoint is None else delivery.at_endpoint(endpoint)
