"""Look after a due render: queue it again, end it as lost, clear up after it, purge its files."""

import datetime as dt
import logging
from typing import Final

from chalicelib.adapters.aws.messages import PoisonMessage
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.after_final import CleanUpRender, SettleRender
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.enqueue import RenderQueues
from chalicelib.features.renders.run.protocol import QueuedRender

log = logging.getLogger(__name__)

# A render that waits is queued again ever more rarely: its first message is most likely there.
_MIN_REQUEUE_DELAY: Final = dt.timedelta(minutes=1)
_MAX_REQUEUE_DELAY: Final = dt.timedelta(hours=1)
# What has waited so long is not wanted any more; bodies are kept longer.
_GIVE_UP_AFTER: Final = dt.timedelta(days=1)


class HandleDueRender:
    """Brings renders on that nobody else does; repeatable, and harmless for all others."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        queues: RenderQueues,
        end: EndRender,
        settle: SettleRender,
        clear: CleanUpRender,
        purge: PurgeFiles,
        clock: Clock,
    ) -> None:
        """Build from the renders, their queues and what ends and purges them."""
        self._tables = tables
        self._renders = renders
        self._queues = queues
        self._end = end
        self._settle = settle
        self._clear = clear
        self._purge = purge
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId, render_id: RenderId) -> None:
        """Look after one render; raises Poison where there is none."""
        now = self._clock.now()
        seen = self._renders.get_with_claim(workspace_id, render_id, format_rfc3339(now))
        if seen is None:
            reason = f"there is no render {render_id} of {workspace_id}"
            raise PoisonMessage(reason)
        render = seen.render
        bind(request_id=render.request_id, render=render.id, workspace=workspace_id)
        crash_if_armed(CrashPoint.MAINTENANCE_BEGUN)
        if render.is_final:
            self._handle_final(render, now)
        elif seen.is_free:
            self._requeue_or_end(render, now)

    def _handle_final(self, render: Render, now: dt.datetime) -> None:
        over = render.expires_at is not None and parse_rfc3339(render.expires_at) <= now
        if render.files_purged_at is not None or over:
            self._purge(render, "render.expired")
            log.info("files purged")
        elif render.expires_at is None:
            # It was ended while a function had it, whose time is over now.
            self._settle(render)
            self._clear.delete_objects(render)
            self._tables.write(self._renders.due_removal(render))

    def _requeue_or_end(self, render: Render, now: dt.datetime) -> None:
        """Queue a render that no function has; the queue's function takes the next attempt."""
        age = now - parse_rfc3339(render.created_at)
        if render.body_key is None or age > _GIVE_UP_AFTER:
            log.error("render lost", extra={"age_s": age.total_seconds()})
            self._end.fail_lost(render)
            crash_if_armed(CrashPoint.MAINTENANCE_ENDED)
            return
        again = now + min(max(age, _MIN_REQUEUE_DELAY), _MAX_REQUEUE_DELAY)
        try:
            self._tables.write(self._renders.postpone_write(render, format_rfc3339(again)))
        except ConditionFailed:
            # It became final meanwhile.
            return
        crash_if_armed(CrashPoint.MAINTENANCE_POSTPONED)
        message = QueuedRender(render.workspace_id, render.id, render.request_id)
        self._queues.queue_for(render).send(message.to_json(), group=render.workspace_id)
        log.info("render queued again", extra={"again_at": format_rfc3339(again)})
        crash_if_armed(CrashPoint.MAINTENANCE_RESENT)
