"""Round of uploads to a target: the claim of an attempt, and the records of its results."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from copy import replace
from itertools import batched
from typing import Final

from chalicelib.adapters.aws.queues import MAX_DELAY, Queue
from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.retry_schedule import LIFE, next_attempt_time
from chalicelib.features.destinations.uploads.events import upload_failed_event
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads, UploadError
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.repository import EventOutbox

log = logging.getLogger(__name__)

_CLAIM_TIME: Final = dt.timedelta(seconds=60)
# Events of failures that are written in one transaction.
_MAX_RECORDED: Final = 40


class ClaimLostError(Exception):
    """Another function has the uploads meanwhile."""


class UploadAttempt:
    """Attempt of the uploads to a target; `uploads` are as they have been recorded."""

    def __init__(self, uploads: TargetUploads, claim: str, until: dt.datetime) -> None:
        """Begin with claimed uploads."""
        self.uploads = uploads
        self.claim = claim
        self.until = until


class RecordAttempts:
    """Records of rounds: each is one transaction, refused if the claim is lost."""

    def __init__(
        self,
        *,
        table: Table,
        outbox: EventOutbox,
        queue: Queue,
        events_queue: Queue,
        clock: Clock,
        on_result: Callable[[str], None],
    ) -> None:
        """Send messages of next attempts to `queue`, and events to `events_queue`.

        `on_result` gets the status of each file that an attempt has changed.
        """
        self._table = table
        self._uploads = StorageUploads(table)
        self._outbox = outbox
        self._queue = queue
        self._events_queue = events_queue
        self._clock = clock
        self._on_result = on_result

    def begin(self, message: UploadFilesMessage, claim: str) -> UploadAttempt | None:
        """Claim the next attempt, or return None if it is not due or another function has it."""
        now = self._clock.now()
        until = now + _CLAIM_TIME
        uploads = self._uploads.claim(message, claim=claim, now=now, until=until)
        return None if uploads is None else UploadAttempt(uploads, claim, until)

    def keep_claim(self, attempt: UploadAttempt, until: dt.datetime) -> None:
        """Extend the claim if it ends before; raises ClaimLostError."""
        if until <= attempt.until:
            return
        if not self._uploads.extend_claim(attempt.uploads, claim=attempt.claim, until=until):
            raise ClaimLostError
        crash_if_armed(CrashPoint.STORAGE_CLAIM_EXTENDED)
        attempt.until = until

    def fail_all(self, attempt: UploadAttempt, error: UploadError) -> None:
        """Let the open files fail for good."""
        failed = [each.with_failure(error, is_final=True) for each in attempt.uploads.open_files]
        self.record(attempt, failed)

    def repeat_later(
        self, attempt: UploadAttempt, error: UploadError, retry_after_s: float | None = None
    ) -> None:
        """Let the open files wait for the next attempt, or fail if their time is over."""
        uploads, now = attempt.uploads, self._clock.now()
        first, *others = uploads.open_files
        attempts = uploads.attempts + 1
        again_at = next_attempt_time(first.id, attempts, now, retry_after_s)
        is_over = again_at >= parse_rfc3339(uploads.created_at) + LIFE
        changed = [first.with_failure(error, is_final=is_over)]
        if is_over:
            changed += [each.with_failure(error, is_final=True) for each in others]
        else:
            at = format_rfc3339(again_at)
            attempt.uploads = replace(uploads, attempts=attempts, next_attempt_at=at)
        self.record(attempt, changed, is_end=True)
        if not is_over:
            self._send_message(attempt.uploads, again_at - now)

    def postpone(self, attempt: UploadAttempt, pause: dt.timedelta) -> None:
        """Let the open files wait without an attempt."""
        at = format_rfc3339(self._clock.now() + pause)
        attempt.uploads = replace(attempt.uploads, next_attempt_at=at)
        self.record(attempt, [], is_end=True)
        crash_if_armed(CrashPoint.STORAGE_POSTPONED)
        self._send_message(attempt.uploads, pause)

    def record(
        self, attempt: UploadAttempt, changed: Sequence[FileUpload], *, is_end: bool = False
    ) -> None:
        """Record files that have changed, with the events of failed ones.

        With the last open file, or `is_end`, the attempt ends. Raises ClaimLostError.
        """
        # Without changes there is one part, which ends the attempt.
        *parts, last = list(batched(changed, _MAX_RECORDED, strict=False)) or [()]
        for part in parts:
            self._record_part(attempt, part, is_end=False)
        self._record_part(attempt, last, is_end=is_end)

    def _record_part(
        self, attempt: UploadAttempt, changed: Sequence[FileUpload], *, is_end: bool
    ) -> None:
        for file in changed:
            attempt.uploads = attempt.uploads.with_file(file)
        if not attempt.uploads.open_files:
            attempt.uploads, is_end = replace(attempt.uploads, next_attempt_at=None), True
        now = self._clock.now()
        failed = [file for file in changed if file.status == "failed"]
        events = [upload_failed_event(attempt.uploads, file, now) for file in failed]
        write = self._uploads.result_write if is_end else self._uploads.progress
        try:
            self._table.transact(
                [
                    *write(attempt.uploads, changed, claim=attempt.claim),
                    *(self._outbox.creation(event) for event in events),
                ]
            )
        except ConditionFailed as refused:
            raise ClaimLostError from refused
        crash_if_armed(CrashPoint.STORAGE_RECORDED)
        for file in changed:
            code = None if file.error is None else file.error.code
            fields = {"upload": file.id, "upload_status": file.status, "code": code}
            log.info("file uploaded" if code is None else "file not uploaded", extra=fields)
            self._on_result(file.status)
        for event in events:
            body = PublishEvent.of_event(event, settled=True).to_json()
            self._events_queue.try_send(body, group=event.workspace_id)
            crash_if_armed(CrashPoint.STORAGE_EVENT_SENT)

    def _send_message(self, uploads: TargetUploads, delay: dt.timedelta) -> None:
        """Send the message of an attempt; beyond a queue's longest delay it stays a due item."""
        if delay <= MAX_DELAY:
            body = UploadFilesMessage.of(uploads).to_json()
            self._queue.try_send(body, group=uploads.workspace_id, delay=delay)
            crash_if_armed(CrashPoint.STORAGE_DELAYED)
