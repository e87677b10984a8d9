"""Combine the results of a batch into one ZIP and one merged PDF, part by part.

A part that is made again is the same bytes. All combined files are there, or none.
"""

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.multipart import MultipartUpload, MultipartUploads
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import FileId, derived_id
from chalicelib.core.json import JsonObject
from chalicelib.core.text import safe_filename
from chalicelib.engine.combining.failure import CombineFailure
from chalicelib.features.batches.advance import AdvanceBatch
from chalicelib.features.batches.combine_progress import (
    CombineLease,
    CombineLeases,
    PartialFile,
    object_key,
    state_key,
)
from chalicelib.features.batches.combined_parts import (
    CombinedPart,
    ItemFilesExpired,
    SucceededItems,
    WritePart,
)
from chalicelib.features.batches.model import Batch, BatchKey, CombinedFile, CombinedKind
from chalicelib.features.batches.repository import Batches
from chalicelib.features.renders.run.final_row import retention

log = logging.getLogger(__name__)

# A function goes on for so long; then it hands the work on.
_TIME_LIMIT: Final = dt.timedelta(seconds=150)
_MAX_LISTED: Final = 100
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
        batches: Batches,
        leases: CombineLeases,
        items: SucceededItems,
        writers: Mapping[CombinedKind, WritePart],
        uploads: MultipartUploads,
        objects: Objects,
        advance: AdvanceBatch,
        hand_on: Callable[[BatchKey], None],
        clock: Clock,
    ) -> None:
        """Build from the stores; `hand_on` sends this function's message again."""
        self._batches = batches
        self._leases = leases
        self._items = items
        self._writers = writers
        self._uploads = uploads
        self._objects = objects
        self._advance = advance
        self._hand_on = hand_on
        self._clock = clock

    def __call__(self, key: BatchKey) -> None:
        """Make the combined files of a batch whose items have all ended, or a share of them.

        What an ended or canceled batch has left behind is removed.
        """
        batch = self._batches.get(key)
        lease = None if batch is None else self._leases.take(batch)
        if batch is None or lease is None:
            return
        if not _is_wanted(batch):
            self._clean_up(lease, keeps_files=bool(batch.files))
            return
        if lease.tries > _MAX_TRIES:
            log.error("combined files given up", extra={"batch": batch.id})
            self._end(lease, error=_GIVEN_UP)
            return
        until = self._clock.now() + _TIME_LIMIT
        try:
            lease, is_complete = self._write_all(lease, until)
        except (CombineFailure, ItemFilesExpired) as failure:
            self._end(lease, error=self._error(batch, failure))
            return
        if is_complete:
            self._end(lease)
        else:
            self._leases.give_back(lease)
            self._hand_on(key)

    def _write_all(self, lease: CombineLease, until: dt.datetime) -> tuple[CombineLease, bool]:
        """Write part after part; return the lease, and whether all files are complete."""
        for kind in lease.batch.combine.kinds:
            while (file := lease.file(kind)) is None or not file.is_complete:
                lease = self._advance_file(lease, kind, file)
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
        if file.parts:
            state = self._objects.get(state_key(batch, file.kind, file.parts))
            assert state is not None, f"the state of {file.kind} of {batch.id} is gone"
        part: CombinedPart = self._writers[file.kind](batch, file.next_index, state)
        number = file.parts + 1
        upload = self._resume(batch, file)
        upload.put_part(number, part.content, is_last=part.is_last)
        crash_if_armed(CrashPoint.COMBINE_PART_PUT)
        if not part.is_last:
            self._objects.put_data(state_key(batch, file.kind, number), part.state)
        crash_if_armed(CrashPoint.COMBINE_STATE_STORED)
        lease = lease.with_file(
            msgspec.structs.replace(
                file,
                parts=number,
                next_index=part.next_index,
                bytes=file.bytes + len(part.content),
                pages=part.pages,
                is_written=part.is_last,
            )
        )
        self._leases.save(lease)
        crash_if_armed(CrashPoint.COMBINE_PART_SAVED)
        return lease

    def _complete(self, lease: CombineLease, file: PartialFile) -> CombineLease:
        self._resume(lease.batch, file).complete()
        crash_if_armed(CrashPoint.COMBINE_COMPLETED)
        lease = lease.with_file(msgspec.structs.replace(file, is_complete=True))
        self._leases.save(lease)
        return lease

    def _end(self, lease: CombineLease, error: JsonObject | None = None) -> None:
        """End the batch with its files or its error; one that was canceled meanwhile has none."""
        batch = self._batches.get(lease.batch.key)
        if batch is not None and _is_wanted(batch):
            assert batch.counts is not None
            files = () if error is not None else self._files(lease)
            try:
                self._advance.finish(replace(batch, files=files), batch.counts, error=error)
            except ConditionFailed:
                log.info("batch changed", extra={"batch": lease.batch.id})
        crash_if_armed(CrashPoint.COMBINE_ENDED)
        ended = self._batches.get(lease.batch.key)
        self._clean_up(lease, keeps_files=bool(ended is not None and ended.files))

    def _files(self, lease: CombineLease) -> tuple[CombinedFile, ...]:
        batch, now = lease.batch, self._clock.now()
        expires_at = format_rfc3339(now + retention(test=batch.test, days=batch.retention_days))
        created = parse_rfc3339(batch.created_at)
        return tuple(
            CombinedFile(
                kind=file.kind,
                file_id=FileId(derived_id("file", created, batch.id, str(batch.run), file.kind)),
                filename=_filename(batch, file.kind),
                content_type=_CONTENT_TYPES[file.kind],
                bytes=file.bytes,
                pages=file.pages if file.kind == "merged_pdf" else None,
                expires_at=expires_at,
                key=object_key(batch, file.kind),
            )
            for file in lease.files
        )

    def _clean_up(self, lease: CombineLease, *, keeps_files: bool) -> None:
        """Delete states and what is not a file of the batch; idempotent."""
        batch = lease.batch
        for kind in batch.combine.kinds:
            if not keeps_files:
                self._uploads.abort_all(object_key(batch, kind))
                self._objects.delete(object_key(batch, kind))
            self._objects.delete_many([state_key(batch, kind, parts) for parts in range(2)])
        self._leases.delete(lease)

    def _error(self, batch: Batch, failure: CombineFailure | ItemFilesExpired) -> JsonObject:
        if isinstance(failure, CombineFailure):
            return {"code": failure.code, "message": failure.detail}
        return {
            "code": "item_files_expired",
            "message": "Files of succeeded items were deleted before they could be combined.",
            "items": self._items.expired(batch, failure.index, _MAX_LISTED) or [failure.index],
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
