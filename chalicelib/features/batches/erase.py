"""End of batches: data after their retention, batches never accepted, and deleted workspaces."""

import logging
from collections.abc import Iterator
from copy import replace
from itertools import batched
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.query_all import listed_ids
from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.features.batches.bodies import BatchBodies, csv_key
from chalicelib.features.batches.combine.repository import object_key
from chalicelib.features.batches.model import ITEMS_PER_PARTITION, Batch, BatchKey
from chalicelib.features.batches.repository import Batches
from chalicelib.features.batches.rows import (
    batch_of,
    items_partition,
    lists_partition,
    partition,
    releaser_partition,
)
from chalicelib.features.files.repository import Files

log = logging.getLogger(__name__)

_DELETED_AT_ONCE: Final = 1_000


class EraseBatches(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Eraser of batches and their data; idempotent."""

    table: Table
    batches: Batches
    bodies: BatchBodies
    objects: Objects
    files: Files
    clock: Clock

    def handle_due(self, key: BatchKey) -> None:
        """Erase the data of a batch past their retention, or a batch that was never accepted.

        Raises PoisonMessageError if there is no such batch.
        """
        row = self.table.get(partition(key))
        if row is None:
            reason = f"there is no batch {key[1]} of {key[0]}"
            raise PoisonMessageError(reason)
        batch = batch_of(row)
        now = format_rfc3339(self.clock.now())
        is_due = "due_at" in row and (batch.data_until or "") <= now
        if not is_due or not self.batches.end_retries(batch):
            return
        self._erase_objects(batch)
        crash_if_armed(CrashPoint.BATCH_ERASED)
        if "LPK" not in row:
            self.table.delete_partition(partition(batch.key))
            log.info("batch was never accepted", extra={"batch": batch.id})
            return
        self.batches.delete_counters(batch)
        self.table.write(self.batches.end_due(key))
        log.info("data of batch erased", extra={"batch": batch.id})

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all batches of a workspace; yields after each step of some rows."""
        for each in listed_ids(self.table, lists_partition(workspace_id)):
            batch = self.batches.get((workspace_id, BatchId(each)))
            if batch is not None:
                yield from self._erase(batch)
        yield from self.table.delete_partition_in_steps(releaser_partition(workspace_id))

    def _erase(self, batch: Batch) -> Iterator[None]:
        self._erase_objects(batch)
        for file in batch.files:
            self.table.write(self.files.removal(file.file_id))
        yield
        for index in range(0, batch.total, ITEMS_PER_PARTITION):
            yield from self.table.delete_partition_in_steps(items_partition(batch.key, index))
        yield from self.table.delete_partition_in_steps(partition(batch.key))

    def _erase_objects(self, batch: Batch) -> None:
        """Delete the common part, the chunks, the copy of the CSV and the combined files."""
        # A function may have died between the last chunk and its number.
        chunks = len(self.batches.chunks(batch).starts) + 1
        self.bodies.delete(*batch.key, chunks)
        combined = [
            object_key(replace(batch, run=run), kind)
            for run in range(1, batch.run + 1)
            for kind in batch.combine.kinds
        ]
        for keys in batched([csv_key(*batch.key), *combined], _DELETED_AT_ONCE, strict=False):
            self.objects.delete_many(keys)
