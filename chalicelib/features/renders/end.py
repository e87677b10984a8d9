"""End an unfinished render from outside its function: out of time or room, canceled, or lost."""

import logging
from contextlib import suppress
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.features.facts.repository import Facts
from chalicelib.features.renders.conclude import ConcludeRender
from chalicelib.features.renders.facts import final_fact
from chalicelib.features.renders.model import Render, Status
from chalicelib.features.renders.repository import Renders

log = logging.getLogger(__name__)

# Above every attempt's number, also where attempts were excused.
NOBODY: Final = 1_000_000
_MESSAGES: Final = {
    "render_timeout": "The render was not ready within the plan's sync timeout and was canceled.",
    "region_degraded": "There was no room for this render in time; nothing is billed.",
    "render_lost": "The platform lost this render; nothing is billed. Send it again.",
}


class EndRender:
    """Ends renders; whoever comes second finds the first one's end."""

    def __init__(
        self,
        *,
        tables: Tables,
        renders: Renders,
        facts: Facts,
        conclude: ConcludeRender,
        clock: Clock,
    ) -> None:
        """Build from the repositories."""
        self._tables = tables
        self._renders = renders
        self._facts = facts
        self._conclude = conclude
        self._clock = clock

    def timed_out(self, render: Render, *, running: int) -> Render:
        """Cancel a render whose caller waits no longer.

        Attempt `running` clears up when it finds the render ended, if it has claimed it.
        """
        return self._end(render, "canceled", "render_timeout", running=running)

    def canceled(self, render: Render, *, running: int) -> Render:
        """Cancel a render because its owner asked; `running` as in `timed_out`."""
        return self._end(render, "canceled", None, running=running)

    def without_room(self, render: Render, forget: Write | None) -> Render:
        """Cancel a render that no function took; `forget` takes its idempotency record away."""
        return self._end(render, "canceled", "region_degraded", running=NOBODY, forget=forget)

    def lost(self, render: Render) -> Render:
        """Fail a render whose functions all died."""
        return self._end(render, "failed", "render_lost", running=NOBODY)

    def _end(
        self,
        render: Render,
        status: Status,
        code: str | None,
        *,
        running: int,
        forget: Write | None = None,
    ) -> Render:
        now = self._clock.now()
        error = {"code": code, "message": _MESSAGES[code]} if code else None
        ended = replace(render, status=status, error=error, completed_at=rfc3339(now))
        fact = final_fact(ended, now)
        still = running < NOBODY
        writes = [self._renders.ending(ended, running=still), self._facts.creation(fact)]
        with suppress(ConditionFailed):
            self._tables.transact([*writes, *([forget] if forget else [])])
        here(CrashPoint.API_ENDED)
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        ended_here = present.status == status and (present.error or {}).get("code") == code
        if ended_here:
            log.warning("render ended from outside", extra={"status": status, "code": code})
            self._conclude(present, fact, settle=present.attempt < running)
        elif present.attempt < running:
            self._conclude.settle(present)
        return present
