"""Repository of batches: reads, and the conditional writes between their states."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import ConditionFailed, QueryPage, Row, RowValue, Table, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.features.batches.bodies import ChunkMap
from chalicelib.features.batches.model import (
    ITEMS_PER_PARTITION,
    OPEN_STATUSES,
    Batch,
    BatchItem,
    BatchKey,
    Counted,
    counter_name,
)
from chalicelib.features.batches.rows import (
    DUE_BATCH,
    batch_key,
    batch_of,
    item_key,
    item_of,
    item_row,
    item_sort_key,
    items_expiry,
    items_partition,
    list_keys,
    lists_partition,
    partition,
    releaser_partition,
    result_json,
    row_of,
)

_SHARDS: Final = 16
_PAST: Final = format_rfc3339(dt.datetime.fromtimestamp(0, dt.UTC))
_OPEN: Final = "#status IN (:open0, :open1)"
_STATUS: Final = {"#status": "status"}
_OPEN_VALUES: Final = {f":open{n}": status for n, status in enumerate(OPEN_STATUSES)}
# What a release, a cancellation, a pause, a new run and the erasure of the data change.
_COMPARED: Final = (
    "status",
    "run",
    "steps",
    "progress",
    "cancel_requested_at",
    "paused_since",
    "data_until",
)
# Attributes that a change of the state may set or remove.
_CHANGING: Final = (
    "status",
    "total",
    "run",
    "next_index",
    "released",
    "steps",
    "progress",
    "last_event_at",
    "pauses",
    "paused_since",
    "cancel_requested_at",
    "is_swept",
    "completed_at",
    "data_until",
)


class Batches(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Batches of all workspaces."""

    table: Table

    def get(self, key: BatchKey) -> Batch | None:
        """Return a batch that was accepted, or None."""
        row = self.table.get(partition(key))
        return batch_of(row) if row is not None and "LPK" in row else None

    def get_many(self, workspace_id: WorkspaceId, batch_ids: Sequence[BatchId]) -> list[Batch]:
        """Return the accepted ones of up to 100 batches, in this order."""
        keys = [(partition((workspace_id, each)), "META") for each in batch_ids]
        rows = self.table.get_many(keys)
        return [batch_of(row) for row in rows if "LPK" in row]

    def newest_page(
        self, workspace_id: WorkspaceId, below: str, equal: Mapping[str, RowValue], limit: int
    ) -> QueryPage:
        """Return a page of the index below an id, newest first."""
        return self.table.query(
            "LPK = :list AND LSK < :below",
            {":list": lists_partition(workspace_id), ":below": below}
            | {f":{name}": value for name, value in equal.items()},
            index="lists",
            filter_expression=" AND ".join(f"#{name} = :{name}" for name in equal) or None,
            names={f"#{name}": name for name in equal},
            limit=limit,
            newest_first=True,
        )

    def announce(self, batch: Batch, starts: Sequence[int], due_at: str) -> None:
        """Write the row of a batch before its objects: if it is never accepted, it is due.

        `starts` are the first indexes of its chunks.
        """
        due = {"DPK": DUE_BATCH.partition(batch.id), "due_at": due_at}
        chunks: Row = {"PK": partition(batch.key), "SK": "CHUNKS", "starts": list(starts)}
        self.table.transact(
            [
                Write(self.table, item=row_of(batch) | due, condition="attribute_not_exists(PK)"),
                Write(self.table, item=chunks),
            ]
        )

    def acceptance(self, batch: Batch) -> Sequence[Write]:
        """Return the writes that accept an announced batch; refused if it is erased already."""
        return (
            Write(
                self.table,
                item=row_of(batch) | list_keys(batch),
                condition="attribute_exists(PK) AND attribute_not_exists(LPK)",
            ),
            self.activation(batch),
        )

    def activation(self, batch: Batch) -> Write:
        """Return the write that gives a batch to the releaser of its workspace."""
        return Write(self.table, item=_active_key(batch) | {"id": batch.id})

    def change(self, before: Batch, after: Batch) -> Write:
        """Return the write of a new state; refused if it is not that of `before` any more.

        The row is due when the data of the batch are to be deleted.
        """
        sets, removes = ["#result = :result"], []
        values: dict[str, RowValue] = {":result": result_json(after)}
        names = {"#result": "result"}
        for name in _CHANGING:
            value = getattr(after, name)
            if value == getattr(before, name):
                continue
            names[f"#{name}"] = name
            if value is None:
                removes.append(f"#{name}")
            else:
                sets.append(f"#{name} = :{name}")
                values[f":{name}"] = value
        if after.data_until != before.data_until and after.data_until is not None:
            sets += ["due_at = :data_until", "DPK = :dpk"]
            values[":dpk"] = DUE_BATCH.partition(after.id)
        elif after.data_until != before.data_until:
            removes += ["due_at", "DPK"]
        if after.is_final:
            names["#ttl"] = "ttl"
            sets.append("#ttl = :ttl")
            values[":ttl"] = items_expiry(after)
        elif before.is_final:
            names["#ttl"] = "ttl"
            removes.append("#ttl")
        names |= {f"#{name}": name for name in _COMPARED}
        known = [name for name in _COMPARED if getattr(before, name) is not None]
        values |= {f":old_{name}": getattr(before, name) for name in known}
        return Write(
            self.table,
            key=batch_key(before),
            update=f"SET {', '.join(sets)}" + (f" REMOVE {', '.join(removes)}" if removes else ""),
            condition=" AND ".join(
                f"#{name} = :old_{name}" if name in known else f"attribute_not_exists(#{name})"
                for name in _COMPARED
            ),
            names=names,
            values=values,
        )

    def request_cancel(self, batch: Batch, at: str) -> None:
        """Write that a batch is to be canceled, unless it is final or that is written already."""
        write = Write(
            self.table,
            key=batch_key(batch),
            update="SET cancel_requested_at = :at",
            condition=f"{_OPEN} AND attribute_not_exists(cancel_requested_at)",
            names=_STATUS,
            values={":at": at, **_OPEN_VALUES},
        )
        with suppress(ConditionFailed):
            self.table.write(write)

    def deactivation(self, batch: Batch) -> Write:
        """Return the write that takes a batch away from the releaser; idempotent."""
        return Write(self.table, key=_active_key(batch))

    def counters(self, batch: Batch) -> Counted:
        """Return the sums of a batch's counters."""
        rows = self.table.query(
            "PK = :pk AND begins_with(SK, :count)",
            {":pk": partition(batch.key), ":count": "COUNT#"},
            consistent=True,
        ).items
        return Counted.of_rows(rows, batch.run)

    def chunks(self, batch: Batch) -> ChunkMap:
        """Return where the chunks of a batch begin."""
        row = self.table.get(partition(batch.key), "CHUNKS")
        return ChunkMap(row["starts"] if row else [])

    def item_creation(self, batch: Batch, item: BatchItem) -> Write:
        """Return the write of an item's first row."""
        row = item_row(batch, item)
        return Write(self.table, item=row, condition="attribute_not_exists(PK)")

    def item_retry(self, batch: Batch, item: BatchItem) -> Write:
        """Return the write that releases a failed item again."""
        return Write(
            self.table,
            item=item_row(batch, item),
            condition="#status = :failed AND run < :run",
            names=_STATUS,
            values={":failed": "failed", ":run": item.run},
        )

    def item_end(
        self, batch: BatchKey, index: int, render_id: str, status: str, error: str | None
    ) -> Write:
        """Return the write of an item's final status; refused unless this render is its last."""
        values: Mapping[str, RowValue] = {
            ":status": status,
            ":queued": "queued",
            ":render": render_id,
            **({} if error is None else {":error": error}),
        }
        return Write(
            self.table,
            key=item_key(batch, index),
            update="SET #status = :status" + ("" if error is None else ", #error = :error"),
            condition="#status = :queued AND render_id = :render",
            names=_STATUS | ({} if error is None else {"#error": "error"}),
            values=values,
        )

    def increment(self, batch: BatchKey, run: int, more: Mapping[str, int], number: int) -> Write:
        """Return the write that counts ended items; `number` chooses the counter row."""
        counters = {counter_name(status, run): count for status, count in more.items()}
        counters["ended"] = sum(more.values())
        named = list(enumerate(counters))
        return Write(
            self.table,
            key={"PK": partition(batch), "SK": f"COUNT#{number % _SHARDS:02}"},
            update="ADD " + ", ".join(f"#c{n} :c{n}" for n, _ in named),
            names={f"#c{n}": name for n, name in named},
            values={f":c{n}": counters[name] for n, name in named},
        )

    def items(
        self, batch: Batch, start: int, end: int, *, statuses: Sequence[str] = ()
    ) -> Iterator[BatchItem]:
        """Yield the items with a row from index `start` to before `end`, in order."""
        while start < end:
            last = min(end, (start // ITEMS_PER_PARTITION + 1) * ITEMS_PER_PARTITION) - 1
            yield from self._block(batch, start, last, statuses)
            start = last + 1

    def active_ids(self, workspace_id: WorkspaceId) -> list[BatchId]:
        """Return the batches of a workspace that have work left, oldest first."""
        rows = query_all(
            self.table,
            "PK = :pk AND begins_with(SK, :active)",
            {":pk": releaser_partition(workspace_id), ":active": "ACTIVE#"},
            consistent=True,
            limit=1_000,
        )
        return [BatchId(row["id"]) for row in rows]

    def end_retries(self, batch: Batch) -> bool:
        """End the time in which the items can be retried; False: they are being retried."""
        if batch.data_until is None:
            return True
        write = Write(
            self.table,
            key={"PK": partition(batch.key), "SK": "META"},
            update="SET data_until = :past",
            condition="data_until = :seen",
            values={":past": _PAST, ":seen": batch.data_until},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return False
        return True

    def end_due(self, key: BatchKey) -> Write:
        """Return the write of a batch whose data are erased: it is not due any more."""
        row_key = {"PK": partition(key), "SK": "META"}
        return Write(self.table, key=row_key, update="REMOVE due_at, DPK")

    def delete_counters(self, batch: Batch) -> None:
        """Delete counters and chunks of a batch; its row has the final counts."""
        for prefix in ("COUNT#", "CHUNKS", "COMBINE"):
            rows = query_all(
                self.table,
                "PK = :pk AND begins_with(SK, :prefix)",
                {":pk": partition(batch.key), ":prefix": prefix},
            )
            for row in rows:
                self.table.write(Write(self.table, key={"PK": row["PK"], "SK": row["SK"]}))

    def _block(
        self, batch: Batch, first: int, last: int, statuses: Sequence[str]
    ) -> Iterator[BatchItem]:
        values = {
            ":pk": items_partition(batch.key, first),
            ":first": item_sort_key(first),
            ":last": item_sort_key(last),
        }
        start: Row | None = None
        while True:
            page = self.table.query(
                "PK = :pk AND SK BETWEEN :first AND :last",
                values | {f":status{n}": status for n, status in enumerate(statuses)},
                filter_expression=_one_of(statuses),
                names=_STATUS if statuses else None,
                limit=ITEMS_PER_PARTITION,
                consistent=True,
                start=start,
            )
            yield from map(item_of, page.items)
            start = page.last_evaluated_key
            if start is None:
                return


def _active_key(batch: Batch) -> Row:
    return {"PK": releaser_partition(batch.workspace_id), "SK": f"ACTIVE#{batch.id}"}


def _one_of(statuses: Sequence[str]) -> str | None:
    if not statuses:
        return None
    return f"#status IN ({', '.join(f':status{n}' for n in range(len(statuses)))})"
