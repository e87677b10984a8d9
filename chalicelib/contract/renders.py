"""A render: the request, and the object that tells of it."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints

from chalicelib.contract.base import Model
from chalicelib.contract.output import OutputSpec

MetadataKey = Annotated[str, StringConstraints(min_length=1, max_length=40)]
MetadataText = Annotated[str, StringConstraints(max_length=500)]
Metadata = dict[MetadataKey, MetadataText | int | float | bool | None]
RenderStatus = Literal["queued", "processing", "succeeded", "failed", "canceled"]


class HtmlInput(Model):
    """A document sent along."""

    type: Literal["html"]
    html: Annotated[str, StringConstraints(min_length=1)]
    head: str | None = None
    """Put first into the document's head."""
    templating: bool | None = None
    """Run `html` and `head` as Jinja2 templates over `data`. Null: yes where `data` is sent."""


class DeliverySpec(Model):
    """How the file reaches the caller."""

    type: Literal["url", "binary"] | None = None
    """`url`: signed addresses in the answer. `binary`: the file is the answer (sync only)."""
    expires_in: Annotated[int, Field(ge=60, le=604_800)] = 3600
    """Seconds for which the signed addresses hold."""


class RenderRequest(Model):
    """What `POST /v1/renders` takes."""

    input: HtmlInput
    data: dict[str, Any] | None = None
    """Values for the template."""
    output: OutputSpec = OutputSpec()
    mode: Literal["sync", "async"] = "sync"
    timeout_behavior: Literal["continue", "cancel"] = "continue"
    """What becomes of a sync render that is not ready in the plan's time: it goes on and the
    answer is 202, or it is canceled and the answer is 408."""
    delivery: DeliverySpec = DeliverySpec()
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None
    metadata: Annotated[Metadata, Field(max_length=50)] | None = None
    """At most 50 values of the caller's own, texts of at most 500 characters."""
    test: bool | None = None
    """Always true with a test key; a live key cannot ask for it."""


def _dated(text: object) -> object:
    # pydantic would take a bare number for seconds since 1970.
    if isinstance(text, str) and not text[:5].endswith("-"):
        message = "an RFC 3339 time such as 2026-01-31T09:30:00Z is expected"
        raise ValueError(message)
    return text


Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_dated)]


class RenderQuery(Model):
    """How `GET /v1/renders` is narrowed down."""

    status: RenderStatus | None = None
    template_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    batch_id: Annotated[str, StringConstraints(max_length=64)] | None = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None
    test: Annotated[bool, Field(strict=False)] | None = None
    created_after: Moment | None = None
    created_before: Moment | None = None
    limit: Annotated[int, Field(ge=1, le=100, strict=False)] = 20
    cursor: Annotated[str, StringConstraints(max_length=1000)] | None = None


class File(Model):
    """One file of a render."""

    id: str
    format: str
    filename: str
    content_type: str
    bytes: int
    sha256: str
    pages: int | None
    width: int | None
    height: int | None
    url: str | None = None
    url_expires_at: str | None = None
    expires_at: str | None


class RenderWarning(Model):
    """Something that did not stop the render."""

    code: str
    message: str
    detail: str | None = None


class RenderError(Model):
    """Why a render failed."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None


class Timings(Model):
    """Where the time went, in milliseconds."""

    queue_ms: int | None = None
    template_ms: int | None = None
    load_ms: int | None = None
    print_ms: int | None = None
    finish_ms: int | None = None
    validate_ms: int | None = None
    store_ms: int | None = None
    total_ms: int | None = None
    cold: bool | None = None


class Render(Model):
    """A render as it stands."""

    id: str
    object: Literal["render"]
    status: RenderStatus
    mode: Literal["sync", "async"]
    test: bool
    input: dict[str, Any]
    template_id: str | None
    template_version: int | None
    engine: str
    output: dict[str, Any]
    reference: str | None
    metadata: dict[str, Any] | None
    priority: Literal["normal", "low"]
    source: Literal["api", "batch", "signed_link", "email_test"]
    batch_id: str | None
    files: list[File]
    warnings: list[RenderWarning]
    error: RenderError | None
    result: dict[str, Any] | None
    invoice: dict[str, Any] | None
    billed: bool
    storage: list[dict[str, Any]]
    emails: dict[str, int] | None
    timings: Timings | None
    logs: list[str]
    explain: dict[str, Any] | None
    created_at: str
    started_at: str | None
    completed_at: str | None
    expires_at: str | None
    files_purged_at: str | None


class RenderList(Model):
    """One page of renders, newest first."""

    object: Literal["list"]
    data: list[Render]
    has_more: bool
    next_cursor: str | None
