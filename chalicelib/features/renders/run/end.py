"""End an unfinished render from outside its function: timed out, refused, canceled or lost."""

import logging
from contextlib import suppress
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.renders.events import final_event
from chalicelib.features.renders.model import Render, RenderStatus
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.settle import SettleAndPublish

log = logging.getLogger(__name__)

# Higher than any attempt number, waived attempts included.
NO_ATTEMPT: Final = 1_000_000
_MESSAGES: Final = {
    "render_timeout": "The render was not ready within the plan's sync timeout and was canceled.",
    "region_degraded": "There was no room for this render in time; nothing is billed.",
    "render_lost": "The platform lost this render; nothing is billed. Send it again.",
}


class EndRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """End of renders; the first end wins, later ones return it."""

    table: Table
    renders: Renders
    events: EventOutbox
    settle_and_publish: SettleAndPublish
    clock: Clock

    def cancel_timed_out(self, render: Render, *, running_attempt: int) -> Render:
        """Cancel a render whose caller's deadline has passed.

        If attempt `running_attempt` has claimed the render, its function settles the limits when it
        finds the render ended.
        """
        return self._end(render, "canceled", "render_timeout", running_attempt=running_attempt)

    def cancel_by_owner(self, render: Render, *, running_attempt: int) -> Render:
        """Cancel a render for its owner; `running_attempt` as in `cancel_timed_out`."""
        return self._end(render, "canceled", None, running_attempt=running_attempt)

    def cancel_queued(self, render: Render) -> Render:
        """Cancel a render that no attempt has claimed yet; another one goes on."""
        return self._end(render, "canceled", None, running_attempt=NO_ATTEMPT, only_queued=True)

    def cancel_no_capacity(self, render: Render, idempotency_removal: Write | None) -> Render:
        """Cancel a render that no function accepted; `idempotency_removal` frees its key."""
        return self._end(
            render,
            "canceled",
            "region_degraded",
            running_attempt=NO_ATTEMPT,
            idempotency_removal=idempotency_removal,
        )

    def fail_lost(self, render: Render) -> Render:
        """Fail a render whose attempts have all died."""
        return self._end(render, "failed", "render_lost", running_attempt=NO_ATTEMPT)

    def _end(
        self,
        render: Render,
        status: RenderStatus,
        code: str | None,
        *,
        running_attempt: int,
        idempotency_removal: Write | None = None,
        only_queued: bool = False,
    ) -> Render:
        now = self.clock.now()
        error = {"code": code, "message": _MESSAGES[code]} if code else None
        ended = replace(render, status=status, error=error, completed_at=format_rfc3339(now))
        event = final_event(ended, now)
        is_running = running_attempt < NO_ATTEMPT
        writes = [
            self.renders.end_write(ended, is_running=is_running, only_queued=only_queued),
            self.events.creation(event),
        ]
        # Refused: another end was first.
        with suppress(ConditionFailed):
            self.table.transact([*writes, *([idempotency_removal] if idempotency_removal else [])])
        crash_if_armed(CrashPoint.API_ENDED)
        current = self.renders.get(render.workspace_id, render.id)
        assert current is not None, render.id
        ended_here = current.status == status and (current.error or {}).get("code") == code
        if ended_here:
            log.warning("render ended from outside", extra={"status": status, "code": code})
            self.settle_and_publish(current, event, settle=current.attempt < running_attempt)
        elif current.is_final and current.attempt < running_attempt:
            self.settle_and_publish.settle(current)
        return current
