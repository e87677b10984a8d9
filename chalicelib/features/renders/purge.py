"""Take a render's files away: no address leads to them any more, then their objects are removed."""

import datetime as dt
from collections.abc import Iterator
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.events import PurgeEventType, purge_event
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import lists_partition, partition
from chalicelib.features.renders.run.after_final import SettleAndPublish, attempt_object_keys
from chalicelib.features.renders.run.bodies import RenderBodies

# Objects that are still there then are removed by the tick.
_RETRY_AFTER: Final = dt.timedelta(minutes=1)


class PurgeFiles:
    """Purges the files of final renders, once; a crash in between is made good by the tick."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        files: Files,
        events: EventOutbox,
        objects: Objects,
        settle_and_publish: SettleAndPublish,
        clock: Clock,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._renders = renders
        self._files = files
        self._events = events
        self._objects = objects
        self._settle_and_publish = settle_and_publish
        self._clock = clock

    def __call__(self, render: Render, event_type: PurgeEventType) -> Render:
        """Purge and return the render as it is then; raises `conflict` for an unfinished one."""
        if not render.is_final:
            raise Conflict(
                "conflict", f"The render is {render.status}; it has files only when it is final."
            )
        if render.files_purged_at is None:
            self._mark_purged(render, event_type)
        self.remove_objects(render)
        present = self._renders.get(render.workspace_id, render.id)
        assert present is not None, render.id
        return present

    def remove_objects(self, render: Render) -> None:
        """Remove every object that an attempt of a purged render may have kept."""
        for key in attempt_object_keys(render):
            self._objects.delete(key)
        crash_if_armed(CrashPoint.MAINTENANCE_PURGED)
        if render.status == "canceled" and not self._is_free(render):
            # The function that still has it may die with a file kept: that is looked for then.
            self._tables.write(self._renders.recheck_write(render))
        else:
            self._tables.write(self._renders.due_removal(render))

    def _is_free(self, render: Render) -> bool:
        now = format_rfc3339(self._clock.now())
        seen = self._renders.get_with_claim(render.workspace_id, render.id, now)
        return seen is None or seen.is_free

    def _mark_purged(self, render: Render, event_type: PurgeEventType) -> None:
        now = self._clock.now()
        at, due = format_rfc3339(now), format_rfc3339(now + _RETRY_AFTER)
        fact = purge_event(render, event_type, now)
        writes = [
            self._renders.purge_write(render, at, due),
            *(self._files.purge(file.id, at) for file in render.files),
            self._events.creation(fact),
        ]
        try:
            self._tables.transact(writes)
        except ConditionFailed:
            # Somebody else was first; the objects are the same.
            return
        crash_if_armed(CrashPoint.MAINTENANCE_PURGE_MARKED)
        self._settle_and_publish.publish(fact)


class EraseRenders:
    """Repeatable; a render's row goes last, so that whoever dies in between is followed."""

    def __init__(
        self,
        *,
        tables: Tables,
        table: str,
        renders: Renders,
        files: Files,
        objects: Objects,
        bodies: RenderBodies,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._table = table
        self._renders = renders
        self._files = files
        self._objects = objects
        self._bodies = bodies

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase one render after the other; each is done when it is yielded."""
        start: Item | None = None
        while True:
            page = self._tables.query(
                self._table,
                "LPK = :list",
                {":list": lists_partition(workspace_id)},
                index="lists",
                start=start,
            )
            ids = [RenderId(row["LSK"]) for row in page.items]
            for render in self._renders.get_many(workspace_id, ids):
                self._erase_one(render)
                yield
            start = page.last_evaluated_key
            if start is None:
                return

    def _erase_one(self, render: Render) -> None:
        for key in attempt_object_keys(render):
            self._objects.delete(key)
        if render.body_key is not None:
            self._bodies.delete(render.body_key)
        for file in render.files:
            self._tables.write(self._files.removal(file.id))
        self._tables.delete_partition(self._table, partition(render.workspace_id, render.id))
