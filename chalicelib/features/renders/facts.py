"""The facts of renders: that one came into a final state, or lost its files."""

import datetime as dt
from typing import Final, Literal

from chalicelib.core.clock import parse_rfc3339, rfc3339
from chalicelib.core.ids import derived
from chalicelib.features.facts.model import Fact
from chalicelib.features.renders.model import FINAL, Render
from chalicelib.features.renders.rows import partition

# At the end of retention, which is an event of the contract, or because the owner asked.
type PurgeKind = Literal["render.expired", "render.purged"]


# The types of the facts that tell a render's end; others are told of it, and of its workspace.
FINAL_FACTS: Final = frozenset(f"render.{status}" for status in FINAL)


def final_fact(render: Render, now: dt.datetime) -> Fact:
    """Return the fact `render.<final state>`."""
    assert render.is_final, render.status
    return _fact(render, f"render.{render.status}", now)


def purge_fact(render: Render, kind: PurgeKind, now: dt.datetime) -> Fact:
    """Return the fact that a render's files are gone."""
    return _fact(render, kind, now)


def _fact(render: Render, kind: str, now: dt.datetime) -> Fact:
    return Fact(
        id=derived("evt", parse_rfc3339(render.created_at), render.id, kind),
        type=kind,
        workspace_id=render.workspace_id,
        subject=partition(render.workspace_id, render.id),
        request_id=render.request_id,
        created_at=rfc3339(now),
    )
