"""Trace one render through everything that keeps something of it."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from itertools import batched
from typing import Any, Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, Item
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import RenderId, WorkspaceId, is_id
from chalicelib.features.dead_letters.model import DeadLetter
from chalicelib.features.dead_letters.redrive import QUEUES
from chalicelib.features.dead_letters.repository import DeadLetters
from chalicelib.features.facts.repository import Facts
from chalicelib.features.renders.clear import keys_of_attempts, keys_of_file
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import partition, render_of
from chalicelib.features.trace.events import (
    of_facts,
    of_letters,
    of_lines,
    of_platform,
    of_row,
    other_ids_of,
)
from chalicelib.features.trace.model import Event, KeptObject, Trace
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.repository import Workspaces

# The lines of a request since some time: they may stand in a file here, or in AWS.
type Lines = Callable[[str, dt.datetime], Iterable[str]]

# Clocks differ, and a request comes before its render.
_BEFORE: Final = dt.timedelta(minutes=1)
# What need not be there.
_DEAD: Final = "dead attempt"
_CODED: Final = "base64 of a file"


class TraceRender:
    """Finds everything that is known of a render; reads only."""

    def __init__(  # noqa: PLR0913 -- the places where something is kept
        self,
        *,
        workspaces: Workspaces,
        renders: Renders,
        facts: Facts,
        limits: Limits,
        letters: DeadLetters,
        objects: Objects,
        lines: Lines,
    ) -> None:
        """Look in these places."""
        self._workspaces = workspaces
        self._renders = renders
        self._facts = facts
        self._limits = limits
        self._letters = letters
        self._objects = objects
        self._lines = lines

    def __call__(self, render_id: str, workspace_id: str | None) -> Trace:
        """Trace a render, in all workspaces where none is named; raises `render_not_found`."""
        row = self._find(render_id, workspace_id)
        render = render_of(row)
        since = parse_rfc3339(render.created_at) - _BEFORE
        lines = list(self._lines(render.request_id, since))
        events = [
            *of_row(render, row),
            *of_facts(self._facts.of(partition(render.workspace_id, render.id))),
            *of_letters(self._dead(render)),
            *of_lines(lines, render),
            *(
                event
                for other_id in sorted(other_ids_of(lines, render))
                for event in of_platform(self._lines(other_id, since), other_id)
            ),
        ]
        return Trace(
            state=self._state(render, row),
            objects=tuple(self._kept(render)),
            events=tuple(sorted(events, key=_moment)),
        )

    def _find(self, render_id: str, workspace_id: str | None) -> Item:
        if not is_id("rnd", render_id):
            detail = "The id of a render is rnd_ and 26 digits and letters."
            raise NotFound("render_not_found", detail)
        ids = [workspace_id] if workspace_id else [row.id for row in self._workspaces.all()]
        for some in batched(ids, BATCH_GET_LIMIT, strict=False):
            for row in self._renders.rows(
                [(WorkspaceId(one), RenderId(render_id)) for one in some]
            ):
                return row
        where = "that workspace" if workspace_id else "any workspace"
        raise NotFound("render_not_found", f"There is no render {render_id} in {where}.")

    def _state(self, render: Render, row: Item) -> dict[str, Any]:
        limits = self._limits.get(render.workspace_id)
        return {
            "render": render.id,
            "workspace": render.workspace_id,
            "request_id": render.request_id,
            "status": render.status,
            "error": render.error,
            "mode": render.mode,
            "test": render.test,
            "attempt": render.attempt,
            "claimed_by": row.get("claimed_by"),
            "billed": render.billed,
            "holds_quota": render.id in limits["holds"],
            "holds_lease": render.id in limits["leases"],
            "created_at": render.created_at,
            "completed_at": render.completed_at,
            "due_at": row.get("due_at"),
            "timings": render.timings,
        }

    def _dead(self, render: Render) -> Iterator[DeadLetter]:
        for queue in QUEUES:
            for letter in self._letters.of(queue):
                if render.id in letter.body:
                    yield letter

    def _kept(self, render: Render) -> Iterator[KeptObject]:
        roles = dict.fromkeys(keys_of_attempts(render), _DEAD)
        for file in render.files:
            own, *coded = keys_of_file(render, file.key)
            roles |= dict.fromkeys(coded, _CODED) | {own: file.id}
        if render.body_key is not None:
            roles[render.body_key] = "body"
        for key, role in roles.items():
            size = self._objects.size(key)
            if size is not None or role not in {_DEAD, _CODED}:
                yield KeptObject(key, role, size)


def _moment(event: Event) -> tuple[str, bool]:
    # At one moment the request comes first and the log's lines come before what they led to.
    return event.at, event.source in {"row", "facts", "dead letters"}
