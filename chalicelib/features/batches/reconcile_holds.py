"""Reconciliation of the limits with batches: holds that a dead releaser has left."""

import logging
from collections.abc import Sequence
from itertools import batched

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.features.batches.model import Batch
from chalicelib.features.batches.repository import Batches
from chalicelib.features.workspaces.limits.model import NOTHING, EndedHold, Hold
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

log = logging.getLogger(__name__)


class ReconcileBatchHolds(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Removal of entries of the limits item that no step of a batch needs; idempotent."""

    batches: Batches
    limits: WorkspaceLimits

    def __call__(self, workspace_id: WorkspaceId, holder_ids: Sequence[str]) -> None:
        """Reconcile the entries of steps of batches; other holders are left alone."""
        steps = [
            (BatchId(batch_id), int(step), holder_id)
            for holder_id in holder_ids
            for batch_id, _, step in (holder_id.partition("-"),)
            if batch_id.startswith("bat_")
        ]
        for group in batched(steps, BATCH_GET_LIMIT, strict=False):
            ids = list(dict.fromkeys(batch_id for batch_id, _, _ in group))
            batches = {each.id: each for each in self.batches.get_many(workspace_id, ids)}
            for batch_id, step, holder_id in group:
                self._reconcile(workspace_id, batches.get(batch_id), step, holder_id)

    def remove_all(self, batch: Batch) -> None:
        """Remove the entries of a batch that releases nothing any more; idempotent.

        Those of its steps only wait for removal. One of a step that was never taken is given back.
        """
        item = self.limits.find(batch.workspace_id)
        for holder_id in item["holds"] if item is not None else ():
            batch_id, _, step = holder_id.partition("-")
            if batch_id == batch.id:
                self._remove(batch.workspace_id, holder_id, is_taken=int(step) <= batch.steps)

    def _reconcile(
        self, workspace_id: WorkspaceId, batch: Batch | None, step: int, holder_id: str
    ) -> None:
        is_taken = batch is not None and batch.steps >= step
        if is_taken or batch is None or batch.is_final:
            self._remove(workspace_id, holder_id, is_taken=is_taken)

    def _remove(self, workspace_id: WorkspaceId, holder_id: str, *, is_taken: bool) -> None:
        """Remove the entry of a step; if the step was taken, the rows of its renders hold."""
        if is_taken:
            self.limits.release(workspace_id, holder_id)
            crash_if_armed(CrashPoint.LIMITS_RELEASED)
        else:
            unused = EndedHold(holder_id, Hold(NOTHING), billed=False)
            self.limits.settle(workspace_id, [unused])
            log.warning("hold of a batch given back late", extra={"holder": holder_id})
