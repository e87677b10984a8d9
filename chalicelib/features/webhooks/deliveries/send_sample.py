"""Samples: events that never happened, sent to one endpoint on request."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import DeliveryId, IdGenerator
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.events.model import EventType
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint

SAMPLE_TYPES: Final = (
    "render.succeeded",
    "render.failed",
    "render.expired",
    "template.published",
)
_ID: Final = re.compile(r"\b([a-z]+)_01J8Z6Y3K4M5N6P7Q8R9S0T1V2\b")


class SendSample:
    """Sender of the example of an event type with fresh ids; filters do not count."""

    def __init__(
        self,
        *,
        types: Sequence[EventType],
        deliveries: Deliveries,
        queue: Callable[[], Queue],
        region: str,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        """Take the examples of `types`, and send to `queue`."""
        self._types = {each.name: each for each in types}
        self._deliveries = deliveries
        self._queue = queue
        self._region = region
        self._clock = clock
        self._ids = ids

    def __call__(
        self, endpoint: WebhookEndpoint, event_type: str, request_id: str, *, with_file_urls: bool
    ) -> WebhookDelivery:
        """Send a sample and return its delivery, `canceled` for a paused endpoint.

        `with_file_urls` is the workspace's setting for webhooks. Raises `validation_error` for a
        type without a sample.
        """
        if event_type not in SAMPLE_TYPES:
            refusal = f"has no sample; there are samples of {', '.join(SAMPLE_TYPES)}"
            raise validation_error("/event", refusal, "invalid")
        now = self._clock.now()
        at = format_rfc3339(now)
        event_id = self._ids.new("evt", now)
        body = {
            "id": event_id,
            "type": event_type,
            "created_at": at,
            "workspace_id": endpoint.workspace_id,
            "region": self._region,
            "data": {"object": self._object(event_type, with_file_urls=with_file_urls)},
        }
        delivery = WebhookDelivery(
            id=DeliveryId(self._ids.new("whd", now)),
            workspace_id=endpoint.workspace_id,
            endpoint_id=endpoint.id,
            event_id=event_id,
            event_type=event_type,
            status="pending" if endpoint.enabled else "canceled",
            test=endpoint.test_only,
            created_at=at,
            request_id=request_id,
            payload=json.dumps(body),
            payload_key=None,
            next_attempt_at=at if endpoint.enabled else None,
        )
        self._deliveries.create(delivery)
        crash_if_armed(CrashPoint.WEBHOOK_SAMPLE_WRITTEN)
        if endpoint.enabled:
            message = DeliverWebhook(delivery.workspace_id, delivery.id, request_id)
            self._queue().try_send(message.to_json(), group=delivery.workspace_id)
        return delivery

    def _object(self, event_type: str, *, with_file_urls: bool) -> Json:
        example = self._types[event_type].example
        text = json.dumps(example if with_file_urls else _without_file_urls(example))
        now = self._clock.now()

        @cache
        def fresh_id(prefix: str) -> str:
            return self._ids.new(prefix, now)

        # A template that the example names twice is one template in the sample as well.
        return json.loads(_ID.sub(lambda match: fresh_id(match[1]), text).encode())


def _without_file_urls(example: JsonObject) -> JsonObject:
    files = example.get("files")
    if not isinstance(files, list):
        return example
    members = ("url", "url_expires_at")
    return {
        **example,
        "files": [{name: file[name] for name in file if name not in members} for file in files],
    }
