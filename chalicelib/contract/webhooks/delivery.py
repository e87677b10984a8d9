"""Webhook deliveries: the log."""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Cursor, PageLimit

DeliveryStatus = Literal["pending", "succeeded", "failed", "retrying", "canceled"]


class DeliveryAttempt(Model):
    """One attempt of a delivery."""

    number: int
    """Number of the attempt, from 1."""
    at: str
    """When it was sent."""
    status_code: int | None
    """The HTTP status of the answer; null without one."""
    latency_ms: int
    """Milliseconds until the answer, or until it was given up."""
    error: str | None
    """Why there is no answer; null with one."""
    response_excerpt: str | None
    """The first 1 000 characters of the answer; null without one."""


class DeliveryRequest(Model):
    """The request as it was last sent."""

    url: str
    """The URL that it was sent to."""
    headers: dict[str, str]
    """Headers by name."""
    body: dict[str, Any]
    """The event."""


class WebhookDelivery(Model):
    """A delivery of an event to an endpoint; it is kept for 30 days."""

    id: str
    """Id of the delivery, `whd_…`."""
    object: Literal["webhook_delivery"]
    endpoint_id: str | None
    """Id of the webhook endpoint, `whe_…`; null for the webhook of a request."""
    event_id: str
    """Id of the event, `evt_…`."""
    event_type: str
    """Type of the event, such as `render.succeeded`."""
    status: DeliveryStatus
    """`retrying`: an attempt has failed, and another one is to come. `canceled`: the endpoint was
    paused or deleted, also if it is enabled again."""
    next_attempt_at: str | None
    """When it is tried next; null if it is not."""
    created_at: str


class WebhookDeliveryDetail(WebhookDelivery):
    """A delivery with its attempts."""

    attempts: list[DeliveryAttempt]
    """Attempts so far, in order."""
    request: DeliveryRequest | None
    """Null before the first attempt, and for a test key where the endpoint is not its own."""


class WebhookDeliveryList(Model):
    """One page of deliveries, newest first."""

    object: Literal["list"]
    data: list[WebhookDelivery]
    """Deliveries of this page."""
    has_more: bool
    next_cursor: str | None


class WebhookDeliveryQuery(Query):
    """Filters and paging of `GET /v1/webhook-deliveries`."""

    endpoint_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Deliveries to this endpoint only, `whe_…`."""
    render_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Deliveries of `render.succeeded`, `render.failed` and `render.expired` of this render only,
    `rnd_…`."""
    status: DeliveryStatus | None = None
    """Deliveries in this state only."""
    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page, with the same filters."""
