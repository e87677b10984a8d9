"""Handler of due renders: requeue, end as lost, clean up, or purge the files."""

import datetime as dt
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.enqueue import RenderQueues
from chalicelib.features.renders.run.final_row import fetchable_until
from chalicelib.features.renders.run.protocol import QueuedRender
from chalicelib.features.renders.run.settle import SettleRender
from chalicelib.features.renders.subscribe import CleanUpRender

log = logging.getLogger(__name__)

# The delay grows with the age of a render: its first message is most likely still queued.
_MIN_REQUEUE_DELAY: Final = dt.timedelta(minutes=1)
_MAX_REQUEUE_DELAY: Final = dt.timedelta(hours=1)
# A render this old is of no use to its caller. Request bodies are stored longer than this.
_GIVE_UP_AFTER: Final = dt.timedelta(days=1)


class HandleDueRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Handler of renders that no function runs; idempotent, and harmless for running ones.

    `is_combining_done` tells whether no batch needs the files any more.
    """

    table: Table
    renders: Renders
    queues: RenderQueues
    end: EndRender
    settle: SettleRender
    clean_up: CleanUpRender
    purge: PurgeFiles
    is_combining_done: Callable[[Render], bool]
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId, render_id: RenderId) -> None:
        """Handle one render; raise PoisonMessageError if it does not exist."""
        now = self.clock.now()
        claimed = self.renders.get_with_claim(workspace_id, render_id, format_rfc3339(now))
        if claimed is None:
            reason = f"there is no render {render_id} of {workspace_id}"
            raise PoisonMessageError(reason)
        render = claimed.render
        bind(request_id=render.request_id, render=render.id, workspace=workspace_id)
        crash_if_armed(CrashPoint.MAINTENANCE_BEGUN)
        if render.is_final:
            self._handle_final(render.at(format_rfc3339(now)), is_free=claimed.is_free)
        elif claimed.is_free:
            self._requeue_or_end(render, now)

    def _handle_final(self, render: Render, *, is_free: bool) -> None:
        if render.files_purged_at is not None:
            self.purge.remove_objects(render)
            log.info("files purged")
        elif render.expires_at is None and is_free:
            # The render was ended while a function ran it. That function has timed out by now.
            self.settle([render])
            self.clean_up.delete_objects([render])
            self.table.write(self.renders.due.removal(render))
        elif render.is_kept_for_delivery:
            self._delete_after_delivery(render)

    def _delete_after_delivery(self, render: Render) -> None:
        """Purge the files that were kept for delivery, once all have them; else leave them."""
        if not render.is_delivered or not self.is_combining_done(render):
            # What ends next makes it due again. What has failed keeps the files. The combining of
            # its batch reads the row afterwards, and purges it itself.
            with suppress(ConditionFailed):
                self.table.write(self.renders.due.removal_after_delivery(render))
            return
        until = fetchable_until(render)
        if until is not None and until > self.clock.now():
            # The tick comes again.
            return
        self.purge(render)
        log.info("files deleted after their delivery")

    def _requeue_or_end(self, render: Render, now: dt.datetime) -> None:
        """Queue an unclaimed render for its next attempt, or end it as lost."""
        age = now - parse_rfc3339(render.created_at)
        if render.body_key is None or age > _GIVE_UP_AFTER:
            log.error("render lost", extra={"age_s": age.total_seconds()})
            self.end.fail_lost(render)
            crash_if_armed(CrashPoint.MAINTENANCE_ENDED)
            return
        next_try = now + min(max(age, _MIN_REQUEUE_DELAY), _MAX_REQUEUE_DELAY)
        try:
            self.table.write(self.renders.postpone_write(render, format_rfc3339(next_try)))
        except ConditionFailed:
            # The render became final in the meantime.
            return
        crash_if_armed(CrashPoint.MAINTENANCE_POSTPONED)
        message = QueuedRender(
            render.workspace_id, render.id, render.request_id, render.traceparent
        )
        self.queues.queue_for(render).send(message.to_json(), group=render.workspace_id)
        log.info("render queued again", extra={"again_at": format_rfc3339(next_try)})
        crash_if_armed(CrashPoint.MAINTENANCE_RESENT)
