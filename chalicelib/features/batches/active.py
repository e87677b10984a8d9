"""Active batches of a workspace: those with work left, and their items in flight."""

from typing import Final, NamedTuple

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.model import Batch, Counted, ItemCounts
from chalicelib.features.batches.repository import Batches

_NONE_ENDED: Final = Counted(ItemCounts(), 0)


class ActiveBatch(NamedTuple):
    """Batch with work left, and its counters, which are read after the batch itself."""

    batch: Batch
    counted: Counted

    @property
    def in_flight(self) -> int:
        """Return the number of released items that have not ended."""
        return self.batch.released - self.counted.ended


def active_batches(batches: Batches, workspace_id: WorkspaceId) -> list[ActiveBatch]:
    """Return the active batches of a workspace, oldest first; nothing is written."""
    ids = batches.active_ids(workspace_id)
    found = [
        batch
        for start in range(0, len(ids), BATCH_GET_LIMIT)
        for batch in batches.get_many(workspace_id, ids[start : start + BATCH_GET_LIMIT])
    ]
    # In this order, what was released and is not read yet counts as in flight.
    return [
        ActiveBatch(batch, batches.counters(batch) if batch.released else _NONE_ENDED)
        for batch in found
    ]
