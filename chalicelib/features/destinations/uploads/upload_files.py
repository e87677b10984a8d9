"""Upload of the files of one target: claims them, stores each one, and records the results.

A function may die at any line: the same bytes are then stored once more under the same path.
"""

import datetime as dt
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.sealing import KeyUnavailableError
from chalicelib.adapters.aws.table import Table
from chalicelib.adapters.json_logs import log_context
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import (
    ByteStream,
    OpenBytes,
    OutgoingFile,
    StoreSession,
    UploadFailedError,
)
from chalicelib.features.destinations.repository import (
    Destinations,
    destination_of,
    destinations_partition,
)
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads, UploadError
from chalicelib.features.destinations.uploads.record_round import (
    ClaimLostError,
    RecordAttempts,
    UploadAttempt,
)
from chalicelib.features.renders.rows import partition, render_of

log = logging.getLogger(__name__)

_CONNECTING_S: Final = 20.0
_BYTES_PER_S: Final = 500_000
# Receipts of many uploads stand in one row.
_MAX_MESSAGE_CHARACTERS: Final = 300
# Between the end of an upload and its record.
_MARGIN: Final = dt.timedelta(seconds=10)
# Until the operator has mended the key of the credentials.
_KEY_PAUSE: Final = dt.timedelta(seconds=60)
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
# raises KeyUnavailableError, and UploadFailedError where there are no credentials.
type OpenSession = Callable[[StorageDestination, float], AbstractContextManager[StoreSession]]


class _Situation(NamedTuple):
    destination: StorageDestination | None
    has_files: bool


class UploadFiles(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Uploader of files that are due."""

    table: Table
    destinations: Destinations
    attempts: RecordAttempts
    objects: Objects
    open_session: OpenSession
    clock: Clock

    def __call__(self, message: UploadFilesMessage, claim: str, ends_at: dt.datetime) -> None:
        """Upload the files of a target if an attempt is due; `claim` names it among all.

        After the first no upload begins that could last beyond `ends_at`.
        """
        with log_context(workspace=message.workspace_id, render=message.render_id):
            crash_if_armed(CrashPoint.STORAGE_BEGUN)
            attempt = self.attempts.begin(message, claim)
            if attempt is None:
                return
            crash_if_armed(CrashPoint.STORAGE_CLAIMED)
            try:
                self._make(attempt, ends_at)
            except ClaimLostError:
                log.warning("uploads not recorded: another function has them")

    def _make(self, attempt: UploadAttempt, ends_at: dt.datetime) -> None:
        pathless = [
            replace(file, status="failed")
            for file in attempt.uploads.open_files
            if file.path is None
        ]
        if pathless:
            self.attempts.record(attempt, pathless)
            if not attempt.uploads.open_files:
                return
        if attempt.uploads.claims_made > MAX_RECEIVE_COUNT:
            log.error("uploads interrupted: their functions died")
            self.attempts.repeat_later(attempt, _LOST)
            return
        situation = self._situation(attempt.uploads)
        if situation.destination is None or not situation.has_files:
            self.attempts.fail_all(attempt, _GONE if situation.destination else _DELETED)
            return
        try:
            self._upload_all(attempt, situation.destination, ends_at)
        except UploadFailedError as failure:
            self._note(situation.destination, failure)
            if failure.is_final:
                self.attempts.fail_all(attempt, _error_of(failure))
            else:
                self.attempts.repeat_later(attempt, _error_of(failure), failure.retry_after_s)
        except KeyUnavailableError as fault:
            # No attempt is used up for what the operator has to mend.
            log.error("files not uploaded", exc_info=fault)  # noqa: TRY400 -- it is tried again
            self.attempts.postpone(attempt, _KEY_PAUSE)

    def _situation(self, uploads: TargetUploads) -> _Situation:
        destination_key = (
            destinations_partition(uploads.workspace_id),
            str(uploads.destination_id),
        )
        render_key = (partition(uploads.workspace_id, uploads.render_id), "META")
        found = {
            (row["PK"], row["SK"]): row
            for row in self.table.get_many([destination_key, render_key])
        }
        destination, render = found.get(destination_key), found.get(render_key)
        now = format_rfc3339(self.clock.now())
        return _Situation(
            None if destination is None else destination_of(destination),
            render is not None and render_of(render).at(now).files_purged_at is None,
        )

    def _upload_all(
        self, attempt: UploadAttempt, destination: StorageDestination, ends_at: dt.datetime
    ) -> None:
        """Upload the open files one after the other.

        Final results of files are recorded. UploadFailedError is a failure of the destination, or a
        failure worth a retry. Raises UploadFailedError and KeyUnavailableError.
        """
        files = attempt.uploads.open_files
        timeout_s = _timeout_s(max(file.bytes for file in files))
        with self.open_session(destination, timeout_s) as session:
            crash_if_armed(CrashPoint.STORAGE_OPENED)
            for file in files:
                now = self.clock.now()
                ends = now + dt.timedelta(seconds=_timeout_s(file.bytes))
                if file is not files[0] and ends > ends_at:
                    self.attempts.postpone(attempt, dt.timedelta(0))
                    return
                self.attempts.keep_claim(attempt, ends + _MARGIN)
                after = self._upload(file, destination, session)
                crash_if_armed(CrashPoint.STORAGE_STORED)
                self.attempts.record(attempt, [after])

    def _upload(
        self, file: FileUpload, destination: StorageDestination, session: StoreSession
    ) -> FileUpload:
        assert file.path is not None, file.id
        content = OutgoingFile(
            file.path, file.bytes, file.sha256, file.content_type, self._opener(file.object_key)
        )
        try:
            etag = session.put(content)
        except _FileGoneError:
            return file.with_failure(_GONE, is_final=True)
        except UploadFailedError as failure:
            if not failure.is_final:
                raise
            self._note(destination, failure)
            return file.with_failure(_error_of(failure), is_final=True)
        self._note(destination, None)
        return file.as_succeeded(etag)

    def _opener(self, key: str) -> OpenBytes:
        @contextmanager
        def open_bytes() -> Iterator[ByteStream]:
            reader = self.objects.get_stream(key)
            if reader is None:
                raise _FileGoneError
            with reader:
                yield reader

        return open_bytes

    def _note(self, destination: StorageDestination, failure: UploadFailedError | None) -> None:
        """Let a destination be failing, or active again."""
        error = None
        if failure is not None:
            if failure.code not in _DESTINATION_ERRORS:
                return
            at = format_rfc3339(self.clock.now())
            error = {"at": at, **_error_of(failure).to_json()}
        if error is not None or destination.last_error is not None:
            self.destinations.note_outcome(destination, error)
            crash_if_armed(CrashPoint.STORAGE_NOTED)


class _FileGoneError(Exception):
    pass


def _error_of(failure: UploadFailedError) -> UploadError:
    return UploadError(failure.code, str(failure)[:_MAX_MESSAGE_CHARACTERS], failure.status)


def _timeout_s(size: int) -> float:
    """Return how many seconds an upload of so many bytes may take."""
    return _CONNECTING_S + size / _BYTES_PER_S
