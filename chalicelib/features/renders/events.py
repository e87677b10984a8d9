"""Events of renders: a final state, or the purge of files."""

import datetime as dt
from typing import Final, Literal

from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.renders.model import FINAL_STATUSES, Render
from chalicelib.features.renders.rows import partition

# `render.expired`: the retention has ended; `render.purged`: the owner has deleted the files.
type PurgeEventType = Literal["render.expired", "render.purged"]

FINAL_EVENT_TYPES: Final = frozenset(f"render.{status}" for status in FINAL_STATUSES)


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
