"""Log of a render, and the query of its files."""

from typing import Literal

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import UncheckedJson


class RenderAttempt(Model):
    """A try to make a render."""

    number: int
    started_at: str
    ended_at: str | None
    outcome: Literal["running", "succeeded", "failed", "canceled", "waived", "lost"]
    """`waived`: an error of the platform ended it, and it does not count. `lost`: its function
    ended without a result."""


class RenderLogEvent(Model):
    """An event of a render."""

    id: str
    type: str
    created_at: str


class RenderLog(Model):
    """What is kept of a render and its way."""

    object: Literal["render_log"]
    render_id: str
    logging: Literal["metadata", "full"]
    """`metadata`: zero retention, of which request and response are not kept."""
    request: dict[str, UncheckedJson] | None
    """The request without contents and secrets, with the defaults that were applied."""
    response: dict[str, UncheckedJson] | None
    """Status, files without URLs, warnings, error, result and timings."""
    logs: list[str]
    """What the page wrote to its console."""
    attempts: list[RenderAttempt]
    events: list[RenderLogEvent]
    created_at: str
    retained_until: str | None
    """The end of the render's history; null while it is not final."""


class RenderFileQuery(Query):
    """The query of `GET /v1/renders/{id}/files/{file_id}`."""

    disposition: Literal["attachment", "inline"] = "attachment"
    """`inline`: a browser shows the file instead of saving it."""
