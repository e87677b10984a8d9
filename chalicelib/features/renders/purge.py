"""Take a render's files away: no address leads to them any more, then their objects are removed."""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import Conflict
from chalicelib.features.facts.repository import Facts
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.clear import keys_of_attempts
from chalicelib.features.renders.conclude import ConcludeRender
from chalicelib.features.renders.facts import PurgeKind, purge_fact
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders

# Objects that are still there then are removed by the tick.
_AGAIN_AFTER: Final = dt.timedelta(minutes=1)


class PurgeFiles:
    """Purges the files of final renders, once; a crash in between is made good by the tick."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        files: Files,
        facts: Facts,
        objects: Objects,
        conclude: ConcludeRender,
        clock: Clock,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._renders = renders
        self._files = files
        self._facts = facts
        self._objects = objects
        self._conclude = conclude
        self._clock = clock

    def __call__(self, render: Render, kind: PurgeKind) -> Render:
        """Purge and return the render as it is then; raises `conflict` for an unfinished one."""
        if not render.is_final:
            raise Conflict(
                "conflict", f"The render is {render.status}; it has files only when it is final."
            )
        if render.files_purged_at is None:
            self._mark(render, kind)
        self.remove_objects(render)
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present

    def remove_objects(self, render: Render) -> None:
        """Remove every object that an attempt of a purged render may have kept."""
        for key in keys_of_attempts(render):
            self._objects.delete(key)
        here(CrashPoint.UPKEEP_PURGED)
        if render.status == "canceled" and not self._is_free(render):
            # The function that still has it may die with a file kept: that is looked for then.
            self._tables.write(self._renders.due_when_free(render))
        else:
            self._tables.write(self._renders.settled(render))

    def _is_free(self, render: Render) -> bool:
        now = rfc3339(self._clock.now())
        seen = self._renders.look(render.workspace_id, render.id, now)
        return seen is None or seen.free

    def _mark(self, render: Render, kind: PurgeKind) -> None:
        now = self._clock.now()
        at, due = rfc3339(now), rfc3339(now + _AGAIN_AFTER)
        fact = purge_fact(render, kind, now)
        writes = [
            self._renders.purging(render, at, due),
            *(self._files.purging(file.id, at) for file in render.files),
            self._facts.creation(fact),
        ]
        try:
            self._tables.transact(writes)
        except ConditionFailed:
            # Somebody else was first; the objects are the same.
            return
        here(CrashPoint.UPKEEP_PURGE_MARKED)
        self._conclude.tell(fact)
