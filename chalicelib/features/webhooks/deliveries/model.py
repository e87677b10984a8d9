"""Delivery of an event to a webhook, its receiver, and its attempts."""

from collections.abc import Mapping
from copy import replace
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from chalicelib.core.ids import DeliveryId, EndpointId, WorkspaceId, sha256_hex
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.workspaces.model import Mode

type DeliveryStatus = Literal["pending", "succeeded", "failed", "retrying", "canceled"]

# Statuses in which a scheduled attempt is still to come.
_OPEN_STATUSES: Final = ("pending", "retrying")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDelivery:
    """Delivery of one event to one endpoint; every attempt sends `payload`.

    A delivery to the webhook of a request has a `url` of its own instead of an `endpoint_id`.
    `test`: the event is of a test render, or a sample for an endpoint of test events. A large
    payload is the object `payload_key`. `attempts_made` counts finished attempts, `scheduled_made`
    those of them that were no replay. `first_attempt_at` is the start of the first one.
    `next_attempt_at` is None when none is to come. With `is_replay` the next one is a replay.
    `claims_made` counts the claims of the next attempt: more than one if functions died with it.
    `sent_url` and `sent_headers` are those of the last attempt. `template_id` is the template of
    the event, if it has one; rows of earlier releases have none. `traceparent` is the trace of the
    request behind the event, if there is one.
    """

    id: DeliveryId
    workspace_id: WorkspaceId
    endpoint_id: EndpointId | None
    event_id: str
    event_type: str
    status: DeliveryStatus
    test: bool
    created_at: str
    request_id: str
    payload: str | None
    payload_key: str | None
    url: str | None = None
    attempts_made: int = 0
    scheduled_made: int = 0
    is_replay: bool = False
    claims_made: int = 0
    first_attempt_at: str | None = None
    next_attempt_at: str | None = None
    sent_url: str | None = None
    sent_headers: Mapping[str, str] | None = None
    template_id: str | None = None
    traceparent: str | None = None

    @property
    def mode(self) -> Mode:
        """Return the mode of the event."""
        return "test" if self.test else "live"

    @property
    def is_open(self) -> bool:
        """Tell whether a scheduled attempt is to come."""
        return self.status in _OPEN_STATUSES

    def given_up(self) -> "WebhookDelivery":
        """Return the delivery without an attempt to come, failed if it is open."""
        status = "failed" if self.is_open else self.status
        return replace(self, status=status, is_replay=False, next_attempt_at=None)

    def at_endpoint(self, endpoint: WebhookEndpoint | None) -> "WebhookDelivery":
        """Return the delivery in the state that its endpoint, None if deleted, allows.

        Pausing and deleting an endpoint cancel its open deliveries, at once and for good, and so
        does a URL that live events may not go to; the rows of deliveries follow when they are due
        (decision 38).
        """
        if self.endpoint_id is None or not self.is_open:
            return self
        if (
            endpoint is not None
            and endpoint.enabled
            and endpoint.may_get(test=self.test)
            and self.created_at >= (endpoint.enabled_since or "")
        ):
            return self
        next_attempt_at = self.next_attempt_at if self.is_replay else None
        return replace(self, status="canceled", next_attempt_at=next_attempt_at)


class Receiver(NamedTuple):
    """Address of the next attempt; `endpoint` is None for the webhook of a request."""

    url: str
    endpoint: WebhookEndpoint | None

    @classmethod
    def of_delivery(
        cls, delivery: WebhookDelivery, endpoint: WebhookEndpoint | None
    ) -> "Receiver | None":
        """Return the receiver, or None if the endpoint is deleted or may not have the delivery."""
        if endpoint is not None:
            return cls(endpoint.url, endpoint) if endpoint.may_get(test=delivery.test) else None
        return None if delivery.url is None else cls(delivery.url, None)

    @property
    def key(self) -> str:
        """Return the name of the receiver among those of its workspace."""
        if self.endpoint is not None:
            return self.endpoint.id
        parts = urlsplit(self.url)
        return sha256_hex(f"{parts.scheme}://{parts.netloc}".encode())[:16]

    @property
    def is_proven(self) -> bool:
        """Tell whether the last attempt succeeded soon."""
        return self.endpoint is not None and self.endpoint.is_slow is False


class DeliveryAttempt(NamedTuple):
    """Attempt of a delivery; `status_code` is None without an HTTP response, `error` says why."""

    number: int
    at: str
    status_code: int | None
    latency_ms: int
    error: str | None
    response_excerpt: str | None

    @property
    def has_succeeded(self) -> bool:
        """Tell whether the receiver answered 2xx."""
        return self.status_code is not None and 200 <= self.status_code < 300  # noqa: PLR2004
