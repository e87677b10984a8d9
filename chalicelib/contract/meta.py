"""What the service says of itself."""

from typing import Literal

from pydantic import ConfigDict, Field

from chalicelib.contract.base import Model
from chalicelib.contract.render.conformance_report import RenderResult


class Health(Model):
    """Whether the service works."""

    status: Literal["ok", "failing"]
    version: str
    checks: dict[str, Literal["ok", "failed"]]
    """What the service stands on, by name."""


class ErrorCode(Model):
    """One code of the catalogue."""

    code: str
    status: int | None
    """The HTTP status; null where the code is only met inside an object."""
    title: str
    meaning: str
    fix: str
    """What to do about it."""
    retryable: bool
    """Whether the same request can be sent again, after a pause."""


class ProblemEntry(Model):
    """One field that was refused."""

    path: str
    """A JSON Pointer into the body, or `/query/<name>`."""
    code: str
    message: str


class ProblemDetails(Model):
    """An error (RFC 9457); further members tell more of certain codes."""

    model_config = ConfigDict(extra="allow")

    type: str
    """The address of the page that explains the code."""
    title: str
    status: int
    code: str
    """Stable: what programs decide by."""
    detail: str
    """What happened this time, for people."""
    errors: list[ProblemEntry] = Field(default=[])
    render_id: str | None = None
    """The render that was made before the request failed."""
    result: RenderResult | None = None
    """That of the render, where it has one."""
    request_id: str
    doc_url: str


class Engine(Model):
    """A rendering engine."""

    id: str
    """What `engine` of a request names."""
    object: Literal["engine"]
    chromium_version: str
    """The Chromium that draws its pages."""
    state: Literal["current", "deprecated"]
    """`current`: what a render that names no engine uses. `deprecated`: still there, but not for
    long."""


class EngineList(Model):
    """All rendering engines, newest first."""

    object: Literal["list"]
    data: list[Engine]
    has_more: bool
    next_cursor: str | None
