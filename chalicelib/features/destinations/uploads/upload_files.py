"""Upload of the files of one target: claims them, stores each one, and records what came of it.

A function may die at any line: the same bytes are then stored once more under the same key.
"""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import replace
from itertools import batched
from typing import Final, NamedTuple

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import MAX_DELAY, Queue
from chalicelib.adapters.aws.sealing import KeyUnavailable
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.adapters.json_logs import log_context
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import (
    ByteStream,
    OpenBytes,
    OutgoingFile,
    StoreSession,
    UploadFailed,
)
from chalicelib.features.destinations.repository import (
    Destinations,
    destination_of,
    destinations_partition,
)
from chalicelib.features.destinations.uploads.events import upload_failed_event
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads, UploadError
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.destinations.uploads.schedule import (
    LIFE,
    next_attempt_time,
    upload_timeout_s,
)
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.renders.rows import partition, render_of

log = logging.getLogger(__name__)

_CLAIM_TIME: Final = dt.timedelta(seconds=60)
# Between the end of an upload and its record.
_MARGIN: Final = dt.timedelta(seconds=10)
# Until the operator has mended the key of the credentials.
_KEY_PAUSE: Final = dt.timedelta(seconds=60)
# Events of failures that are written in one transaction.
_MAX_RECORDED: Final = 40
_DELETED: Final = UploadError(
    "storage_destination_deleted", "The storage destination has been deleted."
)
_GONE: Final = UploadError(
    "storage_rejected", "The files of the render were deleted before they were uploaded."
)
_LOST: Final = UploadError("storage_unavailable", "The service could not upload the files.")
# Failures that every upload to the destination meets: they make it failing.
_DESTINATION_ERRORS: Final = frozenset(
    {
        "storage_denied",
        "storage_not_found",
        "storage_unavailable",
        "storage_host_key_mismatch",
        "url_not_allowed",
    }
)

# Opens a session with the store of a destination, each of whose calls may take so many seconds;
# raises KeyUnavailable, and UploadFailed where there are no credentials.
type OpenSession = Callable[[StorageDestination, float], AbstractContextManager[StoreSession]]


class _ClaimLostError(Exception):
    pass


class _Round:
    """Attempt of the uploads to a target; `uploads` are as they have been recorded."""

    def __init__(self, uploads: TargetUploads, claim: str, until: dt.datetime) -> None:
        self.uploads = uploads
        self.claim = claim
        self.until = until


class _Situation(NamedTuple):
    destination: StorageDestination | None
    has_files: bool


class UploadFiles:
    """Uploader of files that are due."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        table: str,
        destinations: Destinations,
        outbox: EventOutbox,
        objects: Objects,
        open_session: OpenSession,
        queue: Queue,
        events_queue: Queue,
        clock: Clock,
    ) -> None:
        """Send messages of next attempts to `queue`, and events to `events_queue`."""
        self._tables = tables
        self._table = table
        self._destinations = destinations
        self._uploads = StorageUploads(tables, table)
        self._outbox = outbox
        self._objects = objects
        self._open_session = open_session
        self._queue = queue
        self._events_queue = events_queue
        self._clock = clock

    def __call__(self, message: UploadFilesMessage, claim: str, ends_at: dt.datetime) -> None:
        """Upload the files of a target if an attempt is due; `claim` names it among all.

        After the first no upload begins that could last beyond `ends_at`.
        """
        with log_context(workspace=message.workspace_id, render=message.render_id):
            crash_if_armed(CrashPoint.STORAGE_BEGUN)
            now = self._clock.now()
            until = now + _CLAIM_TIME
            uploads = self._uploads.claim(message, claim=claim, now=now, until=until)
            if uploads is None:
                return
            crash_if_armed(CrashPoint.STORAGE_CLAIMED)
            try:
                self._make(_Round(uploads, claim, until), ends_at)
            except _ClaimLostError:
                log.warning("uploads not recorded: another function has them")

    def _make(self, round_: _Round, ends_at: dt.datetime) -> None:
        if round_.uploads.claims_made > MAX_RECEIVE_COUNT:
            log.error("uploads interrupted: their functions died")
            self._repeat_later(round_, _LOST)
            return
        situation = self._situation(round_.uploads)
        if situation.destination is None or not situation.has_files:
            self._fail_all(round_, _GONE if situation.destination else _DELETED)
            return
        try:
            self._upload_all(round_, situation.destination, ends_at)
        except UploadFailed as failure:
            self._note(situation.destination, failure)
            if failure.is_final:
                self._fail_all(round_, _error_of(failure))
            else:
                self._repeat_later(round_, _error_of(failure), failure.retry_after_s)
        except KeyUnavailable as fault:
            # No attempt is used up for what the operator has to mend.
            log.error("files not uploaded", exc_info=fault)  # noqa: TRY400 -- it is tried again
            self._postpone(round_, _KEY_PAUSE)

    def _situation(self, uploads: TargetUploads) -> _Situation:
        destination_key = (
            destinations_partition(uploads.workspace_id),
            str(uploads.destination_id),
        )
        render_key = (partition(uploads.workspace_id, uploads.render_id), "META")
        found = {
            (row["PK"], row["SK"]): row
            for row in self._tables.get_many(self._table, [destination_key, render_key])
        }
        destination, render = found.get(destination_key), found.get(render_key)
        now = format_rfc3339(self._clock.now())
        return _Situation(
            None if destination is None else destination_of(destination),
            render is not None and render_of(render).at(now).files_purged_at is None,
        )

    def _upload_all(
        self, round_: _Round, destination: StorageDestination, ends_at: dt.datetime
    ) -> None:
        """Upload the open files one after the other; raises UploadFailed and KeyUnavailable.

        What is final for a file is recorded. UploadFailed is a failure of the destination, or one
        that is to be repeated.
        """
        files = round_.uploads.open_files
        timeout_s = upload_timeout_s(max(file.bytes for file in files))
        with self._open_session(destination, timeout_s) as session:
            for file in files:
                now = self._clock.now()
                ends = now + dt.timedelta(seconds=upload_timeout_s(file.bytes))
                if file is not files[0] and ends > ends_at:
                    self._postpone(round_, dt.timedelta(0))
                    return
                self._keep_claim(round_, ends + _MARGIN)
                after = self._upload(file, destination, session)
                crash_if_armed(CrashPoint.STORAGE_STORED)
                self._record(round_, [after])

    def _upload(
        self, file: FileUpload, destination: StorageDestination, session: StoreSession
    ) -> FileUpload:
        assert file.key is not None, file.id
        content = OutgoingFile(
            file.key, file.bytes, file.sha256, file.content_type, self._opener(file.object_key)
        )
        try:
            etag = session.put(content)
        except _FileGoneError:
            return file.with_failure(_GONE, is_final=True)
        except UploadFailed as failure:
            if not failure.is_final:
                raise
            self._note(destination, failure)
            return file.with_failure(_error_of(failure), is_final=True)
        self._note(destination, None)
        return file.as_succeeded(etag)

    def _opener(self, key: str) -> OpenBytes:
        @contextmanager
        def open_bytes() -> Iterator[ByteStream]:
            reader = self._objects.get_stream(key)
            if reader is None:
                raise _FileGoneError
            with reader:
                yield reader

        return open_bytes

    def _keep_claim(self, round_: _Round, until: dt.datetime) -> None:
        """Extend the claim if it ends before; raises _ClaimLostError."""
        if until <= round_.until:
            return
        if not self._uploads.extend_claim(round_.uploads, claim=round_.claim, until=until):
            raise _ClaimLostError
        round_.until = until

    def _fail_all(self, round_: _Round, error: UploadError) -> None:
        failed = [each.with_failure(error, is_final=True) for each in round_.uploads.open_files]
        self._record(round_, failed)

    def _repeat_later(
        self, round_: _Round, error: UploadError, retry_after_s: float | None = None
    ) -> None:
        """Let the open files wait for the next attempt, or fail if their time is over."""
        uploads, now = round_.uploads, self._clock.now()
        first, *others = uploads.open_files
        attempts = uploads.attempts + 1
        again_at = next_attempt_time(first.id, attempts, now, retry_after_s)
        is_over = again_at >= parse_rfc3339(uploads.created_at) + LIFE
        changed = [first.with_failure(error, is_final=is_over)]
        if is_over:
            changed += [each.with_failure(error, is_final=True) for each in others]
        else:
            at = format_rfc3339(again_at)
            round_.uploads = replace(uploads, attempts=attempts, next_attempt_at=at)
        self._record(round_, changed, is_end=True)
        if not is_over:
            self._send_message(round_.uploads, again_at - now)

    def _postpone(self, round_: _Round, pause: dt.timedelta) -> None:
        """Let the open files wait without an attempt."""
        at = format_rfc3339(self._clock.now() + pause)
        round_.uploads = replace(round_.uploads, next_attempt_at=at)
        self._record(round_, [], is_end=True)
        self._send_message(round_.uploads, pause)

    def _record(
        self, round_: _Round, changed: Sequence[FileUpload], *, is_end: bool = False
    ) -> None:
        """Record files that have changed, with the events of those that have failed.

        With the last open file, or `is_end`, the attempt ends. Raises _ClaimLostError.
        """
        for part in batched(changed, _MAX_RECORDED, strict=False) if changed else [()]:
            for file in part:
                round_.uploads = round_.uploads.with_file(file)
            if not round_.uploads.open_files:
                round_.uploads = replace(round_.uploads, next_attempt_at=None)
            self._record_part(round_, part, is_end=is_end or not round_.uploads.open_files)

    def _record_part(self, round_: _Round, changed: Sequence[FileUpload], *, is_end: bool) -> None:
        now = self._clock.now()
        failed = [file for file in changed if file.status == "failed"]
        events = [upload_failed_event(round_.uploads, file, now) for file in failed]
        write = self._uploads.result if is_end else self._uploads.progress
        try:
            self._tables.transact(
                [
                    *write(round_.uploads, changed, claim=round_.claim),
                    *(self._outbox.creation(event) for event in events),
                ]
            )
        except ConditionFailed as refused:
            raise _ClaimLostError from refused
        crash_if_armed(CrashPoint.STORAGE_RECORDED)
        for file in changed:
            code = None if file.error is None else file.error.code
            fields = {"upload": file.id, "upload_status": file.status, "code": code}
            log.info("file uploaded" if code is None else "file not uploaded", extra=fields)
        for event in events:
            body = PublishEvent.of_event(event, settled=True).to_json()
            self._events_queue.try_send(body, group=event.workspace_id)
            crash_if_armed(CrashPoint.STORAGE_EVENT_SENT)

    def _note(self, destination: StorageDestination, failure: UploadFailed | None) -> None:
        """Let a destination be failing, or active again."""
        error = None
        if failure is not None:
            if failure.code not in _DESTINATION_ERRORS:
                return
            at = format_rfc3339(self._clock.now())
            error = {"at": at, **_error_of(failure).to_json()}
        if error is not None or destination.last_error is not None:
            self._destinations.note_outcome(destination, error)

    def _send_message(self, uploads: TargetUploads, delay: dt.timedelta) -> None:
        """Send the message of an attempt; what is later than a queue can delay is a due item."""
        if delay <= MAX_DELAY:
            body = UploadFilesMessage.of(uploads).to_json()
            self._queue.try_send(body, group=uploads.workspace_id, delay=delay)
            crash_if_armed(CrashPoint.STORAGE_DELAYED)


class _FileGoneError(Exception):
    pass


def _error_of(failure: UploadFailed) -> UploadError:
    return UploadError(failure.code, str(failure), failure.status)
