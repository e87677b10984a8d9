"""Events of renders: a final state, or the purge of files."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final, Literal

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.core.json import Json
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.renders.model import FINAL_STATUSES, Render
from chalicelib.features.renders.present import render_json_without_urls
from chalicelib.features.renders.rows import partition, render_of

# `render.expired`: the retention has ended; `render.purged`: the owner has deleted the files.
type PurgeEventType = Literal["render.expired", "render.purged"]

FINAL_EVENT_TYPES: Final = frozenset(f"render.{status}" for status in FINAL_STATUSES)


def _describe(event: DomainEvent, row: Row) -> Mapping[str, Any]:
    return render_json_without_urls(render_of(row).at(event.created_at))


_MODEL: Final = "chalicelib.contract.render.render:Render"
_EXAMPLE: Final[Mapping[str, Json]] = {
    "id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "object": "render",
    "status": "succeeded",
    "mode": "async",
    "test": False,
    "region": "eu",
    "kind": "page",
    "input": {"type": "template", "template_id": "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2"},
    "input_type": "template",
    "template": {"id": "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2", "version": 3},
    "template_id": "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "template_version": 3,
    "engine": "2026.1",
    "engine_version": "2026.1",
    "output": {"format": "pdf"},
    "output_format": "pdf",
    "reference": "INV-2026-0042",
    "metadata": {"customer": "4711"},
    "priority": "normal",
    "source": "api",
    "batch_id": None,
    "files": [
        {
            "id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
            "format": "pdf",
            "filename": "INV-2026-0042.pdf",
            "content_type": "application/pdf",
            "bytes": 18_204,
            "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "pages": 1,
            "width": None,
            "height": None,
            "url": "https://files.example.com/files/file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2/"
            "INV-2026-0042.pdf?exp=1769864400&sig=5f0c4a6d1b",
            "url_expires_at": "2026-01-31T13:00:00.000Z",
            "expires_at": "2026-03-02T12:00:01.000Z",
        }
    ],
    "pages": 1,
    "warnings": [],
    "error": None,
    "result": None,
    "invoice": None,
    "billed": True,
    "billed_renders": 1,
    "storage": [],
    "emails": None,
    "timings": {"queue_ms": 12, "total_ms": 240},
    "logs": [],
    "explain": None,
    "created_at": "2026-01-31T12:00:00.000Z",
    "started_at": "2026-01-31T12:00:00.012Z",
    "completed_at": "2026-01-31T12:00:00.252Z",
    "expires_at": "2026-03-02T12:00:01.000Z",
    "files_purged_at": None,
}
_FAILED: Final[Mapping[str, Json]] = {
    "status": "failed",
    "files": [],
    "pages": None,
    "error": {"code": "template_runtime_error", "message": "amount is undefined"},
    "billed": False,
    "billed_renders": 0,
    "expires_at": None,
}
_EXPIRED: Final[Mapping[str, Json]] = {"files": [], "files_purged_at": "2026-03-02T12:00:01.000Z"}

# A canceled render and a purge on request have no public event.
RENDER_EVENT_TYPES: Final = (
    EventType(
        "render.succeeded",
        _describe,
        summary="A render has succeeded, and its files are there",
        model=_MODEL,
        example=_EXAMPLE,
    ),
    EventType(
        "render.failed",
        _describe,
        summary="A render has failed",
        model=_MODEL,
        example={**_EXAMPLE, **_FAILED},
    ),
    EventType(
        "render.expired",
        _describe,
        summary="The files of a render were deleted at the end of their retention",
        model=_MODEL,
        example={**_EXAMPLE, **_EXPIRED},
    ),
    EventType("render.canceled"),
    EventType("render.purged"),
)


def final_event(render: Render, now: dt.datetime) -> DomainEvent:
    """Return the event `render.<final state>`."""
    assert render.is_final, render.status
    return _render_event(render, f"render.{render.status}", now)


def purge_event(render: Render, event_type: PurgeEventType, now: dt.datetime) -> DomainEvent:
    """Return the event of purged files."""
    return _render_event(render, event_type, now)


def _render_event(render: Render, event_type: str, now: dt.datetime) -> DomainEvent:
    # The id is derived, so a repeated transaction writes the same event.
    return DomainEvent(
        id=derived_id("evt", parse_rfc3339(render.created_at), render.id, event_type),
        type=event_type,
        workspace_id=render.workspace_id,
        subject=partition(render.workspace_id, render.id),
        request_id=render.request_id,
        created_at=format_rfc3339(now),
    )
