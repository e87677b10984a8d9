"""Retry the failed items of a batch: a new run, with new renders."""

from collections.abc import Callable
from copy import replace

from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.model import PROGRESS_STEPS, Batch
from chalicelib.features.batches.stores import BatchStores


class RetryFailedItems:
    """New runs of batches."""

    def __init__(
        self,
        *,
        stores: BatchStores,
        wake: Callable[[WorkspaceId], None],
        clock: Clock,
    ) -> None:
        """Build from the stores; `wake` sends a message to the releaser."""
        self._stores = stores
        self._wake = wake
        self._clock = clock

    def __call__(self, batch: Batch) -> Batch:
        """Begin the run and return the batch; raises `conflict`."""
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
            self._stores.tables.transact(
                [
                    self._stores.batches.change(batch, again),
                    self._stores.batches.activation(again),
                    self._stores.leases.activation(batch.workspace_id),
                ]
            )
        except ConditionFailed as changed:
            raise _conflict("its items are being retried already") from changed
        crash_if_armed(CrashPoint.BATCH_RETRIED)
        self._wake(batch.workspace_id)
        return again

    def _check(self, batch: Batch) -> None:
        now = format_rfc3339(self._clock.now())
        if not batch.is_final:
            raise _conflict(f"it is {batch.status}; wait until it has ended")
        if batch.status == "canceled":
            raise _conflict("it is canceled")
        if batch.counts is None or not batch.counts.failed:
            raise _conflict("none of its items has failed")
        if batch.data_until is None or batch.data_until <= now:
            raise _conflict("its data are no longer kept; send a new batch")


def _conflict(why: str) -> Conflict:
    return Conflict("conflict", f"The failed items of the batch cannot be retried: {why}.")
