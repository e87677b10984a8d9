"""Webhook endpoints."""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from chalicelib.contract.base import Change, Model, Query
from chalicelib.contract.field_types import HTTP_NAME_PATTERN, Cursor, PageLimit, TargetUrl

EventTypeName = Literal[
    "render.succeeded",
    "render.failed",
    "render.expired",
    "template.published",
    "usage.threshold_reached",
    "batch.progress",
    "batch.completed",
    "email.sent",
    "email.send_failed",
    "email.delivered",
    "email.bounced",
    "email.complained",
    "storage.upload_failed",
]
EVENT_TYPE_NAMES: Final = EventTypeName.__args__  # type: ignore[attr-defined]
_RESERVED: Final = frozenset(
    {"host", "user-agent", "connection", "transfer-encoding", "te", "upgrade", "keep-alive"}
    | {"expect", "cookie", "trailer"}
)
_RESERVED_PREFIXES: Final = ("content-", "webhook-", "proxy-")
_HEADER_VALUE: Final = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")


def _check_name(name: str) -> str:
    lower = name.lower()
    if lower in _RESERVED or lower.startswith(_RESERVED_PREFIXES):
        message = f"the header {lower} is the service's own"
        raise ValueError(message)
    return name


def _check_value(value: str) -> str:
    if _HEADER_VALUE.fullmatch(value) is None:
        message = "the value of a header has visible ASCII characters, and spaces between them"
        raise ValueError(message)
    return value


def _check_names(headers: dict[str, str]) -> dict[str, str]:
    seen: set[str] = set()
    for lower in map(str.lower, headers):
        if lower in seen:
            message = f"the header {lower} is there twice"
            raise ValueError(message)
        seen.add(lower)
    return headers


HeaderName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=128, pattern=HTTP_NAME_PATTERN),
    AfterValidator(_check_name),
]
HeaderValue = Annotated[str, StringConstraints(max_length=4_096), AfterValidator(_check_value)]


def _check_true(value: bool) -> bool:  # noqa: FBT001 -- a validator
    if not value:
        message = "must be true: another endpoint becomes the default one in its place"
        raise ValueError(message)
    return value


Events = Annotated[list[EventTypeName], Field(min_length=1, max_length=len(EVENT_TYPE_NAMES))]
TemplateIds = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=64)]], Field(max_length=100)
]
Headers = Annotated[
    dict[HeaderName, HeaderValue], Field(max_length=10), AfterValidator(_check_names)
]
Description = Annotated[str, StringConstraints(max_length=500)]


class WebhookEndpointRequest(Model):
    """A new webhook endpoint."""

    url: TargetUrl
    """A public https URL. An endpoint with an http URL, or made with a test key, gets events of
    test renders only."""
    description: Description | None = None
    """A description for people. Null: none."""
    events: Events | None = None
    """The events to send; absent or null: all of them."""
    template_ids: TemplateIds = Field(default_factory=list)
    """Only events of these templates; empty: all events. A key with a template allowlist names
    templates of its list."""
    headers: Headers = Field(default_factory=dict)
    """Up to 10 headers that are sent with every delivery. A value has visible ASCII characters and
    spaces between them. Headers of the service itself are refused: `content-*`, `webhook-*`,
    `proxy-*`, `host`, `user-agent`, `cookie`, and those of the connection."""
    enabled: bool = True
    """`false` pauses: events are not delivered later, but can be replayed."""


class WebhookEndpointChange(Change):
    """A change of a webhook endpoint; absent fields stay as they are."""

    url: TargetUrl = Field(default_factory=str)
    """A public https URL; http for an endpoint of test renders."""
    description: Description | None = None
    """A description for people. Null removes it."""
    events: Events = Field(default_factory=list)
    """The events to send."""
    template_ids: TemplateIds = Field(default_factory=list)
    """Only events of these templates; empty: all events."""
    headers: Headers = Field(default_factory=dict)
    """Up to 10 headers that are sent with every delivery; they replace those before."""
    enabled: bool = Field(default_factory=bool)
    """`true` also ends a disabling: failures are counted anew."""
    is_default: Annotated[bool, AfterValidator(_check_true)] = True
    """`true` makes it the default endpoint of its mode, whose secret signs the webhooks of
    requests."""


class WebhookSecretRoll(Model):
    """How long the old secret goes on signing beside the new one."""

    expire_previous_in: Annotated[int, Field(ge=0, le=604_800)] = 0
    """Seconds for which the old secret goes on signing beside the new one; 0: it ends at once."""


class WebhookTestRequest(Model):
    """The event whose sample is sent."""

    event: Annotated[str, StringConstraints(max_length=64)]
    """`render.succeeded`, `render.failed`, `render.expired` or `template.published`."""


class WebhookEndpoint(Model):
    """A webhook endpoint."""

    id: str
    """Id of the endpoint, `whe_…`."""
    object: Literal["webhook_endpoint"]
    url: str
    """Where events are sent to."""
    description: str | None
    """A description for people; null without one."""
    events: list[str]
    """The events that are sent."""
    template_ids: list[str]
    """Only events of these templates; empty: all events."""
    headers: dict[str, str]
    """Headers that are sent with every delivery."""
    enabled: bool
    """Whether events are sent."""
    is_default: bool
    """Its secret signs the webhooks of requests of its mode, that of the key that made it. The
    first endpoint of a mode has it; deleted, the oldest other one. Endpoints of keys with a
    template allowlist have it only when another key gives it to them."""
    disabled_reason: Literal["failing"] | None
    """`failing`: every attempt of five days failed. Null: it is enabled, or was paused by a
    request."""
    previous_secret_expires_at: str | None
    """When the old secret stops to sign beside the new one; null without one."""
    created_at: str
    updated_at: str


class WebhookEndpointWithSecret(WebhookEndpoint):
    """A webhook endpoint with its signing secret, which is shown this once."""

    secret: str
    """`whsec_` and the key in base64 (Standard Webhooks)."""


class WebhookSecret(Model):
    """The signing secret of a workspace without a default endpoint."""

    object: Literal["webhook_secret"]
    secret: str
    """`whsec_` and the key in base64 (Standard Webhooks)."""


class WebhookEndpointList(Model):
    """All webhook endpoints of a workspace, newest first."""

    object: Literal["list"]
    data: list[WebhookEndpoint]
    """Endpoints of this page."""
    has_more: bool
    next_cursor: str | None


class WebhookEndpointQuery(Query):
    """Paging of `GET /v1/webhook-endpoints`."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page."""
