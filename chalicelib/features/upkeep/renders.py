"""Look after a due render: queue it again, end it as lost, clear up after it, purge its files."""

import datetime as dt
import logging
from typing import Final

from chalicelib.adapters.aws.messages import Poison
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.adapters.json_logs import about
from chalicelib.core.clock import Clock, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.clear import ClearRender
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.protocol import QueuedRender
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.queues import RenderQueues
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.settle import SettleRender

log = logging.getLogger(__name__)

# A render that waits is queued again ever more rarely: its first message is most likely there.
_SOONEST: Final = dt.timedelta(minutes=1)
_LATEST: Final = dt.timedelta(hours=1)
# What has waited so long is not wanted any more; bodies are kept longer.
_GIVE_UP_AFTER: Final = dt.timedelta(days=1)


class UpkeepRender:
    """Brings renders on that nobody else does; repeatable, and harmless for all others."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        queues: RenderQueues,
        end: EndRender,
        settle: SettleRender,
        clear: ClearRender,
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
        seen = self._renders.look(workspace_id, render_id, rfc3339(now))
        if seen is None:
            reason = f"there is no render {render_id} of {workspace_id}"
            raise Poison(reason)
        render = seen.render
        about(request_id=render.request_id, render=render.id, workspace=workspace_id)
        here(CrashPoint.UPKEEP_BEGUN)
        if render.is_final:
            self._files(render, now)
        elif seen.free:
            self._unfinished(render, now)

    def _files(self, render: Render, now: dt.datetime) -> None:
        over = render.expires_at is not None and parse_rfc3339(render.expires_at) <= now
        if render.files_purged_at is not None or over:
            self._purge(render, "render.expired")
            log.info("files purged")
        elif render.expires_at is None:
            # It was ended while a function had it, whose time is over now.
            self._settle(render)
            self._clear.objects(render)
            self._tables.write(self._renders.settled(render))

    def _unfinished(self, render: Render, now: dt.datetime) -> None:
        """Queue a render that no function has; the queue's function takes the next attempt."""
        age = now - parse_rfc3339(render.created_at)
        if render.body_key is None or age > _GIVE_UP_AFTER:
            log.error("render lost", extra={"age_s": age.total_seconds()})
            self._end.lost(render)
            here(CrashPoint.UPKEEP_ENDED)
            return
        again = now + min(max(age, _SOONEST), _LATEST)
        try:
            self._tables.write(self._renders.due_again(render, rfc3339(again)))
        except ConditionFailed:
            # It became final meanwhile.
            return
        here(CrashPoint.UPKEEP_POSTPONED)
        message = QueuedRender(render.workspace_id, render.id, render.request_id)
        self._queues.of(render).send(message.to_json(), group=render.workspace_id)
        log.info("render queued again", extra={"again_at": rfc3339(again)})
        here(CrashPoint.UPKEEP_RESENT)
