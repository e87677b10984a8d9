"""Webhook deliveries: the log."""

from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Cursor, PageLimit

DeliveryStatus = Literal["pending", "succeeded", "failed", "retrying", "canceled"]


class DeliveryAttempt(Model):
    """One attempt of a delivery."""

    number: int
    at: str
    status_code: int | None
    """The status of the answer; null without one."""
    latency_ms: int
    error: str | None
    """Why there is no answer."""
    response_excerpt: str | None
    """The first 1 000 characters of the answer."""


class DeliveryRequest(Model):
    """The request as it was last sent."""

    url: str
    headers: dict[str, str]
    body: dict[str, Any]


class WebhookDelivery(Model):
    """A delivery of an event to an endpoint; it is kept for 30 days."""

    id: str
    object: Literal["webhook_delivery"]
    endpoint_id: str | None
    event_id: str
    event_type: str
    status: DeliveryStatus
    """`retrying`: an attempt has failed, and another one is to come. `canceled`: the endpoint was
    paused or deleted, also if it is enabled again."""
    next_attempt_at: str | None
    created_at: str


class WebhookDeliveryDetail(WebhookDelivery):
    """A delivery with its attempts."""

    attempts: list[DeliveryAttempt]
    request: DeliveryRequest | None
    """Null before the first attempt, and for a test key where the endpoint is not its own."""


class WebhookDeliveryList(Model):
    """One page of deliveries, newest first."""

    object: Literal["list"]
    data: list[WebhookDelivery]
    has_more: bool
    next_cursor: str | None


class WebhookDeliveryQuery(Query):
    """Filters and paging of `GET /v1/webhook-deliveries`."""

    endpoint_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    render_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    """Deliveries of `render.succeeded`, `render.failed` and `render.expired` of a render."""
    status: DeliveryStatus | None = None
    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page, with the same filters."""
