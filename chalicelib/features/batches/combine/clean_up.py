"""Removal of the remains of making combined files."""

import datetime as dt
from contextlib import suppress
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.multipart import MultipartUploads
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import FileId, derived_id
from chalicelib.features.batches.combine.repository import (
    CombineLease,
    CombineLeases,
    PartialFile,
    object_key,
    state_key,
)
from chalicelib.features.batches.combine.succeeded_items import SucceededItems
from chalicelib.features.batches.model import Batch, CombinedKind
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.files.repository import Files
from chalicelib.features.renders.purge import PurgeFiles

# A function purges files of items for so long; then it hands the work on.
_TIME_LIMIT: Final = dt.timedelta(seconds=150)


class CleanUpCombining(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Removal of states, unfinished uploads and files that no batch names.

    `purge` deletes the files of items.
    """

    purge: PurgeFiles
    uploads: MultipartUploads
    stores: BatchStores
    files: Files
    items: SucceededItems
    leases: CombineLeases
    objects: Objects
    clock: Clock

    def __call__(self, lease: CombineLease) -> bool:
        """Remove all but the files of the ended batch, and the batch from the active ones.

        Idempotent. False: there is more to do.
        """
        batch = lease.batch
        if batch.files and batch.purges_items and not self._purge_items(batch):
            return False
        for file in lease.files:
            self._delete_states(lease, file)
        if not batch.files:
            for kind in batch.combine.kinds:
                self.uploads.abort_all(object_key(batch, kind))
                self.objects.delete(object_key(batch, kind))
        self.leases.delete(lease)
        crash_if_armed(CrashPoint.COMBINE_CLEANED_UP)
        # Refused if its failed items are being retried.
        with suppress(ConditionFailed):
            self.stores.table.transact(
                [
                    self.stores.batches.change(batch, batch),
                    self.stores.batches.deactivation(batch),
                ]
            )
        return True

    def delete_orphans(self, lease: CombineLease) -> None:
        """Delete states that the function before has stored and not saved."""
        before = lease._replace(fence=lease.fence - 1)
        kept = {file.state for file in lease.files}
        for kind in lease.batch.combine.kinds:
            keys = {state_key(lease.batch, kind, before.fence, parts) for parts in range(2)}
            self.objects.delete_many(sorted(keys - kept))

    def _delete_states(self, lease: CombineLease, file: PartialFile) -> None:
        keys = {state_key(lease.batch, file.kind, lease.fence, parts) for parts in range(2)}
        self.objects.delete_many(sorted(keys | ({file.state} if file.state else set())))

    def delete_earlier(self, batch: Batch, kind: CombinedKind) -> None:
        """Delete the file of the run before, if the request of the retry died before it did."""
        if batch.run == 1:
            return
        earlier = replace(batch, run=batch.run - 1)
        at = format_rfc3339(self.clock.now())
        with suppress(ConditionFailed):
            self.stores.table.write(self.files.purge(file_id(earlier, kind), at))
        self.objects.delete(object_key(earlier, kind))

    def _purge_items(self, batch: Batch) -> bool:
        """Purge the files of items, which the combined files contain; False: the time is over."""
        until = self.clock.now() + _TIME_LIMIT
        for render in self.items.stored_renders(batch):
            if not render.is_delivered:
                # What it waits for makes it due, and maintenance purges it.
                continue
            self.purge(render)
            crash_if_armed(CrashPoint.COMBINE_ITEM_PURGED)
            if self.clock.now() > until:
                return False
        return True


def file_id(batch: Batch, kind: CombinedKind) -> FileId:
    """Return the id of a combined file of the present run."""
    created = parse_rfc3339(batch.created_at)
    return FileId(derived_id("file", created, batch.id, str(batch.run), kind))
