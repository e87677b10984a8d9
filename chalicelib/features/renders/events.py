"""The facts of renders: that one came into a final state, or lost its files."""

import datetime as dt
from typing import Final, Literal

from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.renders.model import FINAL_STATUSES, Render
from chalicelib.features.renders.rows import partition

# At the end of retention, which is an event of the contract, or because the owner asked.
type PurgeEventType = Literal["render.expired", "render.purged"]


# The types of the facts that tell a render's end; others are told of it, and of its workspace.
FINAL_EVENT_TYPES: Final = frozenset(f"render.{status}" for status in FINAL_STATUSES)


def final_event(render: Render, now: dt.datetime) -> DomainEvent:
    """Return the fact `render.<final state>`."""
    assert render.is_final, render.status
    return _render_event(render, f"render.{render.status}", now)


def purge_event(render: Render, event_type: PurgeEventType, now: dt.datetime) -> DomainEvent:
    """Return the fact that a render's files are gone."""
    return _render_event(render, event_type, now)


def _render_event(render: Render, event_type: str, now: dt.datetime) -> DomainEvent:
    return DomainEvent(
        id=derived_id("evt", parse_rfc3339(render.created_at), render.id, event_type),
        type=event_type,
        workspace_id=render.workspace_id,
        subject=partition(render.workspace_id, render.id),
        request_id=render.request_id,
        created_at=format_rfc3339(now),
    )
