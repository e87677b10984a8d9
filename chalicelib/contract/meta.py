"""Objects about the service itself: health, error catalogue, problem details, engines."""

from typing import Literal

from pydantic import ConfigDict, Field

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Cursor, PageLimit
from chalicelib.contract.render.conformance_report import RenderResult


class Health(Model):
    """The health of the service."""

    status: Literal["ok", "failing"]
    """`failing`: a part that the service depends on does not work."""
    version: str
    """Version of the service."""
    checks: dict[str, Literal["ok", "missing", "failing"]]
    """The state of each part: `database`, `storage`, `queues`; `walls`: what confines documents;
    `tenancy`: whether each workspace has environments of its own. The service works where the last
    two are missing."""


class ErrorCode(Model):
    """One code of the catalogue."""

    code: str
    """The code."""
    status: int | None
    """The HTTP status; null for a code that only occurs inside an object."""
    title: str
    """The error in a few words."""
    meaning: str
    """When it occurs."""
    fix: str
    """What to change, or how to go on."""
    retryable: bool
    """Whether the same request can be sent again, after a pause."""


class ErrorCodeList(Model):
    """All codes of the catalogue, on one page."""

    object: Literal["list"]
    data: list[ErrorCode]
    """The codes, by what they are about."""
    has_more: bool
    """Always false."""
    next_cursor: str | None
    """Always null."""


class ServiceInfo(Model):
    """The service, and where its description is."""

    object: Literal["service"]
    name: str
    version: str
    docs_url: str
    """The reference for people."""
    guides_url: str
    """The guides for people."""
    console_url: str
    """The console, in which people try requests and look at renders."""
    errors_url: str
    """The index of all error codes."""
    openapi_url: str
    """The description as OpenAPI 3.1."""
    health_url: str


class ProblemEntry(Model):
    """One field that was refused."""

    path: str
    """A JSON Pointer into the body, or `/query/<name>`."""
    code: str
    """Kind of the mistake, such as `required`, `unknown` or `out_of_range`."""
    message: str
    """What is wrong with the value, for people."""


class ProblemDetails(Model):
    """An error (RFC 9457); some codes have further members."""

    model_config = ConfigDict(extra="allow")

    type: str
    """The URL of the page that explains the code."""
    title: str
    """The error in a few words."""
    status: int
    """The HTTP status."""
    code: str
    """Code of the error, such as `validation_error`. It is stable; programs should decide by it."""
    detail: str
    """What happened in this case, for people."""
    errors: list[ProblemEntry] = Field(default=[])
    """The fields that were refused; empty if the error concerns no single field."""
    render_id: str | None = None
    """Id of the render that was made before the request failed, `rnd_…`; null without one."""
    result: RenderResult | None = None
    """The `result` of that render; null if it has none."""
    request_id: str
    """Id of the request in the logs, as in `X-Request-Id`."""
    doc_url: str
    """The URL of the page that explains the code."""


class Engine(Model):
    """A rendering engine."""

    id: str
    """The value of `engine` in a request."""
    object: Literal["engine"]
    chromium_version: str
    """Version of the Chromium that draws its pages."""
    state: Literal["current", "deprecated"]
    """`current`: used by renders that name no engine. `deprecated`: available, but to be
    removed."""


class EngineQuery(Query):
    """Paging of `GET /v1/engines`."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page."""


class EngineList(Model):
    """One page of rendering engines, newest first."""

    object: Literal["list"]
    data: list[Engine]
    """Engines of this page."""
    has_more: bool
    next_cursor: str | None
