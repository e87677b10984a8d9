"""End an unfinished render from outside its function: out of time, or lost."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.features.renders.facts import final_fact
from chalicelib.features.renders.model import Render, Status
from chalicelib.features.renders.repository import Renders
from chalicelib.features.workspaces.limits_repository import Limits


class EndRender:
    """Ends renders; whoever comes second finds the first one's end."""

    def __init__(self, *, tables: Tables, renders: Renders, limits: Limits, clock: Clock) -> None:
        """Build from the repositories."""
        self._tables = tables
        self._renders = renders
        self._limits = limits
        self._clock = clock

    def timed_out(self, render: Render) -> Render:
        """Cancel a render whose caller waits no longer; its function stops by itself."""
        message = "The render was not ready within the plan's sync timeout and was canceled."
        ended = self._end(render, "canceled", {"code": "render_timeout", "message": message})
        if ended.attempt == 0:
            self._settle(ended)
        return ended

    def lost(self, render: Render) -> Render:
        """Fail a render whose functions all died."""
        message = "The platform lost this render; nothing is billed. Send it again."
        ended = self._end(render, "failed", {"code": "render_lost", "message": message})
        self._settle(ended)
        return ended

    def _end(self, render: Render, status: Status, error: dict[str, Any]) -> Render:
        now = self._clock.now()
        ended = replace(render, status=status, error=error, completed_at=rfc3339(now))
        writes = [self._renders.ending(ended), self._renders.fact(ended, final_fact(ended, now))]
        with suppress(ConditionFailed):
            self._tables.transact(writes, token=f"{render.id}:{status[:1]}")
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present

    def _settle(self, render: Render) -> None:
        self._limits.settle(render.workspace_id, render.id, render.taken, billed=render.billed)
