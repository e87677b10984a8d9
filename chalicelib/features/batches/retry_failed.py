"""Retry the failed items of a batch: a new run, with new renders."""

from collections.abc import Callable
from contextlib import suppress
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.combine.succeeded_items import SucceededItems
from chalicelib.features.batches.model import PROGRESS_STEPS, Batch
from chalicelib.features.batches.stores import BatchStores
from chalicelib.features.files.repository import Files

# Items whose files a request looks at; combining itself looks at all.
_MAX_CHECKED: Final = 2_000


class RetryFailedItems(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """New runs of batches.

    `wake` sends a message to the releaser.
    """

    stores: BatchStores
    items: SucceededItems
    files: Files
    objects: Objects
    wake: Callable[[WorkspaceId], None]
    clock: Clock

    def __call__(self, batch: Batch) -> Batch:
        """Begin the run and return the batch.

        Raises `conflict`, `zero_retention` and `item_files_expired`.
        """
        self._check(batch)
        assert batch.counts is not None, batch.id
        # An item that its owner canceled stays so.
        carried = batch.counts._replace(failed=0)
        again = replace(
            batch,
            status="processing",
            run=batch.run + 1,
            next_index=0,
            carried=carried,
            counts=None,
            progress=carried.total * PROGRESS_STEPS // batch.total,
            completed_at=None,
            data_until=None,
            files=(),
            error=None,
        )
        try:
            self.stores.table.transact(
                [
                    self.stores.batches.change(batch, again),
                    self.stores.batches.activation(again),
                    self.stores.leases.activation(batch.workspace_id),
                ]
            )
        except ConditionFailed as changed:
            raise _conflict("its items are being retried already") from changed
        crash_if_armed(CrashPoint.BATCH_RETRIED)
        self._delete_combined_files(batch)
        self.wake(batch.workspace_id)
        return again

    def _check(self, batch: Batch) -> None:
        now = format_rfc3339(self.clock.now())
        if not batch.is_final:
            raise _conflict(f"it is {batch.status}; wait until it has ended")
        if batch.status == "canceled":
            raise _conflict("it is canceled")
        if batch.counts is None or not batch.counts.failed:
            raise _conflict("none of its items has failed")
        if batch.zero_retention:
            message = "With retention none its data were not kept: send the items as a new batch."
            raise Conflict("zero_retention", message)
        if batch.data_until is None or batch.data_until <= now:
            raise _conflict("its data are no longer kept; send a new batch")
        if batch.combine.kinds:
            self._check_files(batch)

    def _check_files(self, batch: Batch) -> None:
        """Refuse a batch whose combined files could not be made again, as far as a look tells."""
        gone = self.items.expired_indexes(batch, 0, max_items=_MAX_CHECKED)
        # Those of its items are being deleted, or will be.
        if gone or (batch.purges_items and batch.files):
            raise Conflict(
                "item_files_expired",
                "The combined files would need files of succeeded items, and those are deleted. "
                "Send the failed items as a new batch.",
                items=gone,
            )

    def _delete_combined_files(self, batch: Batch) -> None:
        """Delete the combined files of the earlier run; after a crash the next ones do it."""
        at = format_rfc3339(self.clock.now())
        for file in batch.files:
            # A record that has expired has no URL any more.
            with suppress(ConditionFailed):
                self.stores.table.write(self.files.purge(file.file_id, at))
            self.objects.delete(file.key)


def _conflict(why: str) -> Conflict:
    return Conflict("conflict", f"The failed items of the batch cannot be retried: {why}.")
