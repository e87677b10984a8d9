"""Facts: what others must learn of a render, written in the same transaction as the change."""

import datetime as dt
from dataclasses import dataclass
from typing import Final

from chalicelib.core.clock import parse_rfc3339, rfc3339
from chalicelib.core.ids import derived
from chalicelib.features.renders.model import Render

# A fact is sent at once; one that still stands after this is sent again.
_RESEND_AFTER: Final = dt.timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Fact:
    """That a render came into a final state; its id is derived, so it exists once."""

    id: str
    type: str
    workspace_id: str
    render_id: str
    created_at: str
    due_at: str


def final_fact(render: Render, now: dt.datetime) -> Fact:
    """Return the fact `render.<final state>`."""
    assert render.is_final, render.status
    kind = f"render.{render.status}"
    return Fact(
        id=derived("evt", parse_rfc3339(render.created_at), render.id, kind),
        type=kind,
        workspace_id=render.workspace_id,
        render_id=render.id,
        created_at=rfc3339(now),
        due_at=rfc3339(now + _RESEND_AFTER),
    )
