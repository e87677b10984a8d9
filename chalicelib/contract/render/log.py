"""Log of a render, and the query of its files."""

from typing import Literal

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import UncheckedJson


class RenderAttempt(Model):
    """A try to make a render."""

    number: int
    """Number of the try, from 1."""
    started_at: str
    """When it began."""
    ended_at: str | None
    """When it ended; null while it is `running`."""
    outcome: Literal["running", "succeeded", "failed", "canceled", "waived", "lost"]
    """`waived`: an error of the platform ended it, and it does not count. `lost`: its function
    ended without a result."""


class RenderLogEvent(Model):
    """An event of a render."""

    id: str
    """Id of the event, `evt_…`."""
    type: str
    """Type of the event, such as `render.succeeded`."""
    created_at: str


class RenderLog(Model):
    """What is kept of a render and its way."""

    object: Literal["render_log"]
    render_id: str
    """Id of the render, `rnd_…`."""
    logging: Literal["metadata", "full"]
    """`full`: request and response are kept. `metadata`: they are not (zero retention)."""
    request: dict[str, UncheckedJson] | None
    """The request without contents and secrets, with the defaults that were applied; null with
    `metadata`."""
    response: dict[str, UncheckedJson] | None
    """Status, files without URLs, warnings, error, result and timings; null with `metadata`."""
    logs: list[str]
    """What the page wrote to its console."""
    attempts: list[RenderAttempt]
    """Tries to make the render, in order."""
    events: list[RenderLogEvent]
    """Events of the render, in order."""
    created_at: str
    retained_until: str | None
    """The end of the render's history; null while it is not final."""


class RenderFileQuery(Query):
    """The query of `GET /v1/renders/{id}/files/{file_id}`."""

    disposition: Literal["attachment", "inline"] = "attachment"
    """`inline`: a browser shows the file instead of saving it."""
