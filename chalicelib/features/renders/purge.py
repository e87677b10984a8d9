"""Purge of a render's files, on their owner's request or at the end of their retention."""

import datetime as dt
import logging
from contextlib import suppress
from itertools import batched, islice
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import TRANSACTION_LIMIT, ConditionFailed, Table
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import FileId
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.repository import MAX_FINAL_RECORDS, Files
from chalicelib.features.renders.events import purge_event
from chalicelib.features.renders.file_keys import attempt_object_keys
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.settle import SettleAndPublish

log = logging.getLogger(__name__)

# Maintenance removes the objects then, if this process has died before it could.
_RETRY_AFTER: Final = dt.timedelta(minutes=1)


class PurgeFiles(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Purge of the files of final renders, once each; maintenance completes it after a crash."""

    table: Table
    renders: Renders
    files: Files
    events: EventOutbox
    objects: Objects
    settle_and_publish: SettleAndPublish
    clock: Clock

    def __call__(self, render: Render) -> Render:
        """Purge the files for their owner and return the changed render.

        Their URLs stop working first. Raises `conflict` if the render is unfinished.
        """
        if not render.is_final:
            raise Conflict(
                "conflict", f"The render is {render.status}; it has files only when it is final."
            )
        if render.files_purged_at is None:
            self._mark_purged(render)
        self.remove_objects(render)
        current = self.renders.get(render.workspace_id, render.id)
        assert current is not None, render.id
        return current

    def expire(self, file_id: FileId) -> None:
        """Purge the files of the render of a due file record; idempotent.

        They count as purged since they expired. So the objects go first, and one transaction with
        the event ends it.
        """
        now = self.clock.now()
        due = self.files.due(file_id)
        if due is None:
            log.info("no file is due", extra={"file": file_id})
            return
        # Also of a row whose own time has come: maintenance may be late.
        found = self.renders.get_with_claim(*due.owner, format_rfc3339(now))
        if found is None:
            self.objects.delete(due.key)
            self.table.write(self.files.removal(file_id))
            return
        render = found.render
        bind(request_id=render.request_id, render=render.id, workspace=render.workspace_id)
        if render.expires_at is None or parse_rfc3339(render.expires_at) > now:
            return
        self.objects.delete_many(list(attempt_object_keys(render)))
        crash_if_armed(CrashPoint.MAINTENANCE_EXPIRED)
        event = purge_event(render, "render.expired", now)
        try:
            self.table.transact([self.files.expiry(file_id), self.events.creation(event)])
        except ConditionFailed:
            # Its owner, or another message, has purged it meanwhile.
            return
        crash_if_armed(CrashPoint.MAINTENANCE_PURGE_MARKED)
        self.settle_and_publish.publish(event)
        log.info("files expired")

    def remove_objects(self, render: Render) -> None:
        """End the URLs of a purged render, then remove the objects of all its attempts."""
        self._purge_other_records(render)
        self.objects.delete_many(list(attempt_object_keys(render)))
        crash_if_armed(CrashPoint.MAINTENANCE_PURGED)
        if render.status == "canceled" and not self._is_free(render):
            # A function may still run it and die after storing a file: check again afterwards.
            self.table.write(self.renders.due.recheck(render))
        else:
            self.table.write(self.renders.due.removal(render))

    def _purge_other_records(self, render: Render) -> None:
        """Mark the files that did not fit into the transaction of the purge; idempotent."""
        at = format_rfc3339(self.clock.now())
        others = islice(self.files.purges(render.files, at), MAX_FINAL_RECORDS, None)
        for writes in batched(others, TRANSACTION_LIMIT, strict=False):
            try:
                self.table.transact(writes)
            except ConditionFailed:
                # A record that is gone has no URL any more, and holds up no other.
                for write in writes:
                    with suppress(ConditionFailed):
                        self.table.write(write)

    def _is_free(self, render: Render) -> bool:
        now = format_rfc3339(self.clock.now())
        claim = self.renders.get_with_claim(render.workspace_id, render.id, now)
        return claim is None or claim.is_free

    def _mark_purged(self, render: Render) -> None:
        now = self.clock.now()
        at, due_at = format_rfc3339(now), format_rfc3339(now + _RETRY_AFTER)
        event = purge_event(render, "render.purged", now)
        # Row and file records change in one transaction (decision 3).
        writes = [
            self.renders.due.purge(render, at, due_at),
            *islice(self.files.purges(render.files, at), MAX_FINAL_RECORDS),
            self.events.creation(event),
        ]
        try:
            self.table.transact(writes)
        except ConditionFailed:
            # Another purge was first and has written its event; the objects are the same.
            return
        crash_if_armed(CrashPoint.MAINTENANCE_PURGE_MARKED)
        self.settle_and_publish.publish(event)
