"""Reconciliation of the limits with batches: what a dead releaser has left of its holds."""

import logging
from collections.abc import Sequence
from itertools import batched

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.features.batches.model import Batch
from chalicelib.features.batches.repository import Batches
from chalicelib.features.workspaces.limits.model import NOTHING, EndedHold, Hold
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

log = logging.getLogger(__name__)


class ReconcileBatchHolds:
    """Removal of entries of the limits item that no step of a batch needs; idempotent."""

    def __init__(self, batches: Batches, limits: WorkspaceLimits) -> None:
        """Compare `limits` with `batches`."""
        self._batches = batches
        self._limits = limits

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
            batches = {each.id: each for each in self._batches.get_many(workspace_id, ids)}
            for batch_id, step, holder_id in group:
                self._reconcile(workspace_id, batches.get(batch_id), step, holder_id)

    def _reconcile(
        self, workspace_id: WorkspaceId, batch: Batch | None, step: int, holder_id: str
    ) -> None:
        if batch is not None and batch.steps >= step:
            # The rows of its renders hold by themselves.
            self._limits.release(workspace_id, holder_id)
            crash_if_armed(CrashPoint.LIMITS_RELEASED)
        elif batch is None or batch.is_final:
            unused = EndedHold(holder_id, Hold(NOTHING), billed=False)
            self._limits.settle(workspace_id, [unused])
            log.warning("hold of a batch given back late", extra={"holder": holder_id})
