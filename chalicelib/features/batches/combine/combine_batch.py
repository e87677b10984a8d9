"""Combine the results of a batch into one ZIP and one merged PDF, part by part.

A part that is made again is the same bytes. All combined files are there, or none.
"""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.multipart import (
    MultipartUpload,
    MultipartUploadGoneError,
    MultipartUploads,
)
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.core.text import safe_filename
from chalicelib.engine.combining.failure import CombineFailure
from chalicelib.features.batches.advance import AdvanceBatch
from chalicelib.features.batches.combine.clean_up import CleanUpCombining, file_id
from chalicelib.features.batches.combine.repository import (
    CombineLease,
    CombineLeases,
    PartialFile,
    object_key,
    state_key,
)
from chalicelib.features.batches.combine.succeeded_items import (
    ItemFilesExpiredError,
    SucceededItems,
)
from chalicelib.features.batches.combine.write_part import CombinedPart, PartStart, WritePart
from chalicelib.features.batches.model import Batch, BatchKey, CombinedFile, CombinedKind
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.renders.run.final_row import retention

log = logging.getLogger(__name__)

# A function goes on for so long; then it hands the work on.
_TIME_LIMIT: Final = dt.timedelta(seconds=150)
# Functions that may die, one after the other, without a part.
_MAX_TRIES: Final = 8
_GIVEN_UP: Final = {
    "code": "internal_error",
    "message": "The combined files could not be made. Fetch the files of the items one by one.",
}
_CONTENT_TYPES: Final[Mapping[CombinedKind, str]] = {
    "zip": "application/zip",
    "merged_pdf": "application/pdf",
}


class CombineBatch:
    """Maker of combined files; one function at a time works on those of a batch."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        stores: BatchStores,
        leases: CombineLeases,
        items: SucceededItems,
        writers: Mapping[CombinedKind, WritePart],
        uploads: MultipartUploads,
        objects: Objects,
        advance: AdvanceBatch,
        clean_up: CleanUpCombining,
        hand_on: Callable[[BatchKey], None],
        clock: Clock,
    ) -> None:
        """Build from the stores; `hand_on` sends this function's message again."""
        self._stores = stores
        self._batches = stores.batches
        self._leases = leases
        self._items = items
        self._writers = writers
        self._uploads = uploads
        self._objects = objects
        self._advance = advance
        self._clean_up = clean_up
        self._hand_on = hand_on
        self._clock = clock

    def __call__(self, key: BatchKey) -> None:
        """Make the combined files of a batch whose items have all ended, or a share of them.

        The remains of making them are removed once the batch has ended.
        """
        batch = self._batches.get(key)
        lease = None if batch is None else self._leases.take_lease(batch)
        if lease is None:
            return
        try:
            is_done = self._work(lease)
        except ConditionFailed:
            # Another function has the lease; it goes on.
            log.info("lease lost", extra={"batch": lease.batch.id})
            return
        except Exception:
            with tolerate_transient("a lease stays until it expires"):
                self._leases.give_back(lease)
            raise
        if not is_done:
            self._leases.give_back(lease)
            self._hand_on(key)

    def _work(self, lease: CombineLease) -> bool:
        """Take the next steps; False: there are more."""
        self._clean_up.delete_orphans(lease)
        batch = lease.batch
        if batch.is_final:
            return self._clean_up(lease)
        if not _is_wanted(batch):
            # It is being canceled, or a new run has begun.
            self._leases.give_back(lease)
            return True
        if lease.tries > _MAX_TRIES:
            log.error("combined files given up", extra={"batch": batch.id})
            return self._end(lease, error=_GIVEN_UP)
        try:
            lease, is_complete = self._write_all(lease)
        except (CombineFailure, ItemFilesExpiredError) as failure:
            return self._end(lease, error=self._error(batch, failure))
        return self._end(lease) if is_complete else False

    def _write_all(self, lease: CombineLease) -> tuple[CombineLease, bool]:
        """Write part after part; return the lease, and whether all files are complete."""
        until = self._clock.now() + _TIME_LIMIT
        for kind in lease.batch.combine.kinds:
            while (file := lease.file(kind)) is None or not file.is_complete:
                try:
                    lease = self._advance_file(lease, kind, file)
                except MultipartUploadGoneError:
                    # The bucket aborts uploads after a day.
                    lease = lease.without(kind)
                    self._leases.save(lease)
                if self._clock.now() > until or not self._is_still_wanted(lease.batch):
                    return lease, False
        return lease, True

    def _advance_file(
        self, lease: CombineLease, kind: CombinedKind, file: PartialFile | None
    ) -> CombineLease:
        """Take the next step of a file: begin it, write a part, or complete it."""
        if file is None:
            return self._begin(lease, kind)
        return self._complete(lease, file) if file.is_written else self._part(lease, file)

    def _begin(self, lease: CombineLease, kind: CombinedKind) -> CombineLease:
        self._clean_up.delete_earlier(lease.batch, kind)
        # Only the holder of the lease gets further.
        self._leases.save(lease)
        key = object_key(lease.batch, kind)
        # Of a function that died before it had saved its upload.
        self._uploads.abort_all(key)
        upload = self._uploads.begin(key, content_type=_CONTENT_TYPES[kind])
        crash_if_armed(CrashPoint.COMBINE_BEGUN)
        lease = lease.with_file(PartialFile(kind, lease.batch.run, upload.id))
        self._leases.save(lease)
        return lease

    def _part(self, lease: CombineLease, file: PartialFile) -> CombineLease:
        batch, state = lease.batch, None
        if file.state is not None:
            state = self._objects.get(file.state)
            assert state is not None, f"the state of {file.kind} of {batch.id} is gone"
        start = PartStart(file.next_index, state, lease.fence, lambda: self._leases.save(lease))
        part: CombinedPart = self._writers[file.kind](batch, start)
        number = file.parts + 1
        self._resume(batch, file).put_part(number, part.content, is_last=part.is_last)
        crash_if_armed(CrashPoint.COMBINE_PART_PUT)
        key = None
        if not part.is_last:
            key = state_key(batch, file.kind, lease.fence, number)
            self._objects.put_data(key, part.state)
        crash_if_armed(CrashPoint.COMBINE_STATE_STORED)
        lease = lease.with_file(
            msgspec.structs.replace(
                file,
                parts=number,
                next_index=part.next_index,
                bytes=file.bytes + len(part.content),
                pages=part.pages,
                state=key,
                is_written=part.is_last,
            )
        )
        self._leases.save(lease)
        crash_if_armed(CrashPoint.COMBINE_PART_SAVED)
        if file.state is not None:
            self._objects.delete(file.state)
        return lease

    def _complete(self, lease: CombineLease, file: PartialFile) -> CombineLease:
        self._resume(lease.batch, file).complete()
        crash_if_armed(CrashPoint.COMBINE_COMPLETED)
        lease = lease.with_file(msgspec.structs.replace(file, is_complete=True))
        self._leases.save(lease)
        return lease

    def _end(self, lease: CombineLease, error: JsonObject | None = None) -> bool:
        """End the batch with its files or its error, and clean up; False: there is more to do."""
        batch = self._batches.get(lease.batch.key)
        if batch is None or not _is_wanted(batch):
            # It was canceled meanwhile: its end is followed by a message.
            self._leases.give_back(lease)
            return True
        assert batch.counts is not None
        files = () if error is not None else self._files(lease)
        ended = self._advance.finish(replace(batch, files=files), batch.counts, error=error)
        crash_if_armed(CrashPoint.COMBINE_ENDED)
        return self._clean_up(replace(lease, batch=ended))

    def _files(self, lease: CombineLease) -> tuple[CombinedFile, ...]:
        batch, now = lease.batch, self._clock.now()
        expires_at = format_rfc3339(now + retention(test=batch.test, days=batch.retention_days))
        return tuple(
            CombinedFile(
                kind=file.kind,
                file_id=file_id(batch, file.kind),
                filename=_filename(batch, file.kind),
                content_type=_CONTENT_TYPES[file.kind],
                bytes=file.bytes,
                pages=file.pages if file.kind == "merged_pdf" else None,
                expires_at=expires_at,
                key=object_key(batch, file.kind),
            )
            for file in lease.files
        )

    def _error(self, batch: Batch, failure: CombineFailure | ItemFilesExpiredError) -> JsonObject:
        if isinstance(failure, CombineFailure):
            return {"code": failure.code, "message": failure.detail}
        return {
            "code": "item_files_expired",
            "message": "Files of succeeded items were deleted before they could be combined.",
            "items": self._items.expired_indexes(batch, failure.index) or [failure.index],
        }

    def _resume(self, batch: Batch, file: PartialFile) -> MultipartUpload:
        return self._uploads.resume(object_key(batch, file.kind), file.upload_id)

    def _is_still_wanted(self, batch: Batch) -> bool:
        current = self._batches.get(batch.key)
        return current is not None and _is_wanted(current) and current.run == batch.run


def _is_wanted(batch: Batch) -> bool:
    """Tell whether a batch waits for its combined files."""
    return not batch.is_final and batch.cancel_requested_at is None and batch.counts is not None


def _filename(batch: Batch, kind: CombinedKind) -> str:
    if kind == "merged_pdf":
        return "batch.pdf"
    return safe_filename(batch.combine.zip_filename, fallback="batch", extension="zip")
