"""Read batches: one by id, a page of a workspace's batches, a page of the items of one."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import RowValue
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import BatchId, WorkspaceId, is_id
from chalicelib.core.json import Json
from chalicelib.features.batches.active import active_batches
from chalicelib.features.batches.bodies import BatchBodies, with_names
from chalicelib.features.batches.model import Batch, BatchItem, ItemCounts, counts_of
from chalicelib.features.batches.present import item_json
from chalicelib.features.batches.repository import Batches
from chalicelib.features.renders.read import Viewer

# Bound the work of one request: a filter with few matches gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
_MAX_ITEMS_READ: Final = 5_000
_MAX_CHUNKS_READ: Final = 3
_FIRST: Final = "bat_~"


class BatchPage(NamedTuple):
    """Page of batches with their counts; the next page has ids below `next_after`."""

    batches: list[tuple[Batch, ItemCounts]]
    next_after: str | None


class ItemPage(NamedTuple):
    """Page of items as the API shows them; the next page begins at `next_index`."""

    items: list[dict[str, Json]]
    next_index: int | None


class ReadBatches(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of batches; a batch that the viewer may not see is not found."""

    batches: Batches
    bodies: BatchBodies

    def one(self, viewer: Viewer, batch_id: str) -> Batch:
        """Return one batch; raises `not_found`."""
        batch = None
        if is_id("bat", batch_id):
            batch = self.batches.get((viewer.workspace_id, BatchId(batch_id)))
        if (
            batch is None
            or (viewer.mode == "test" and not batch.test)
            or not viewer.is_template_visible(batch.template_id)
        ):
            raise NotFound("not_found", f"There is no batch {batch_id[:64]}.")
        return batch

    def counts(self, batch: Batch) -> ItemCounts:
        """Return the counts of a batch as they are now."""
        if batch.counts is not None:
            return batch.counts
        return counts_of(batch, self.batches.counters(batch))

    def in_flight(self, workspace_id: WorkspaceId) -> int:
        """Return the number of items that are queued or running, over all batches."""
        running = [
            each for each in active_batches(self.batches, workspace_id) if not each.batch.is_final
        ]
        # It is negative if items are released and end between the two reads.
        return sum(max(0, each.in_flight) for each in running)

    def page(
        self, viewer: Viewer, equal: Mapping[str, RowValue], *, limit: int, after: str | None
    ) -> BatchPage:
        """Return up to `limit` batches below the id `after` whose attributes equal `equal`."""
        if viewer.mode == "test":
            if equal.get("test") is False:
                return BatchPage([], None)
            equal = {**equal, "test": True}
        is_filtered = bool(equal or viewer.templates)
        max_rows = _MAX_ROWS_READ if is_filtered else limit + 1
        rows = self.batches.newest_page(viewer.workspace_id, after or _FIRST, equal, max_rows)
        ids = [
            BatchId(row["LSK"])
            for row in rows.items
            if viewer.is_template_visible(row.get("template_id"))
        ]
        found = self.batches.get_many(viewer.workspace_id, ids[:limit])
        last = rows.last_evaluated_key
        next_after = ids[limit - 1] if len(ids) > limit else last["LSK"] if last else None
        return BatchPage([(batch, self.counts(batch)) for batch in found], next_after)

    def items(self, batch: Batch, status: str | None, *, limit: int, start: int) -> ItemPage:
        """Return up to `limit` items from index `start` on that have a status, or all."""
        shown: list[dict[str, Json]] = []
        end = min(batch.total, start + (limit if status is None else _MAX_ITEMS_READ))
        names = ItemNames(self.batches, self.bodies, batch)
        for item in self._all_items(batch, start, end):
            if len(shown) == limit or (shown and names.are_costly(item)):
                return ItemPage(shown, item.index)
            if status in {None, item.status_in(batch)}:
                shown.append(item_json(names.of(item), batch))
        return ItemPage(shown, end if end < batch.total else None)

    def _all_items(self, batch: Batch, start: int, end: int) -> Iterator[BatchItem]:
        """Yield items in order; those without a row are pending, or canceled with their batch."""
        index = start
        for item in self.batches.items(batch, start, end):
            yield from (_without_row(batch, number) for number in range(index, item.index))
            yield item
            index = item.index + 1
        yield from (_without_row(batch, number) for number in range(index, end))


class ItemNames:
    """Names of items without a row, which their request has given: they stand in the chunks."""

    def __init__(self, batches: Batches, bodies: BatchBodies, batch: Batch) -> None:
        """Read for one page."""
        self._bodies = bodies
        self._batch = batch
        self._chunks = cache(lambda: batches.chunks(batch))
        self._read: set[int] = set()

    def are_costly(self, item: BatchItem) -> bool:
        """Tell whether the names of an item take one more chunk than a page may read."""
        if not _is_without_row(item) or not self._chunks().starts:
            return False
        number, _ = self._chunks().locate(item.index)
        return number not in self._read and len(self._read) >= _MAX_CHUNKS_READ

    def of(self, item: BatchItem) -> BatchItem:
        """Return an item with its names."""
        if not _is_without_row(item) or not self._chunks().starts:
            return item
        number, line = self._chunks().locate(item.index)
        self._read.add(number)
        chunk = self._bodies.chunk(*self._batch.key, number)
        return item if chunk is None else with_names(item, chunk.item(line))


def _is_without_row(item: BatchItem) -> bool:
    return item.render_id is None and item.status != "failed"


def _without_row(batch: Batch, index: int) -> BatchItem:
    is_canceled = batch.status == "canceled"
    return BatchItem(index=index, status="canceled" if is_canceled else "pending", run=batch.run)
