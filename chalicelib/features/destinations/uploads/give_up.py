"""End of uploads whose message was given up."""

from collections.abc import Callable
from copy import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.uploads.events import upload_failed_event
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import UploadError
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.events.repository import EventOutbox

_ERROR: Final = UploadError("storage_unavailable", "The service could not upload the file.")
# Files of one transaction with their events; the others wait for the tick.
_MAX_FILES: Final = 40


class GiveUpUploads:
    """Resolution of a dead letter: the uploads fail, unless another message goes on with them."""

    def __init__(
        self,
        *,
        outbox: EventOutbox,
        publish: Callable[[DomainEvent], None],
        table: Table,
        clock: Clock,
    ) -> None:
        """Change uploads of this table."""
        self._table = table
        self._uploads = StorageUploads(table)
        self._outbox = outbox
        self._publish = publish
        self._clock = clock

    def __call__(self, message: JsonObject) -> str:
        """End the uploads that are open and unclaimed, and return the outcome as text."""
        upload_message = UploadFilesMessage.from_json(message)
        bind(workspace=upload_message.workspace_id, render=upload_message.render_id)
        before = self._uploads.get(upload_message)
        if before is None or not before.open_files:
            return "the uploads had ended"
        now = self._clock.now()
        failed = [
            # One without a path has its own reason.
            each.with_failure(each.error or _ERROR if each.path is None else _ERROR, is_final=True)
            for each in before.open_files[:_MAX_FILES]
        ]
        after = before
        for file in failed:
            after = after.with_file(file)
        if not after.open_files:
            after = replace(after, next_attempt_at=None)
        events = [upload_failed_event(after, file, now) for file in failed]
        try:
            self._table.transact(
                [
                    *self._uploads.end_waiting(after, failed, format_rfc3339(now)),
                    *(self._outbox.creation(event) for event in events),
                ]
            )
        except ConditionFailed:
            return "the uploads go on with another message"
        crash_if_armed(CrashPoint.STORAGE_GIVEN_UP)
        for event in events:
            self._publish(event)
        return f"{len(failed)} uploads ended as failed"
