"""Repository of due items: every item with `due_at`, by kind, spread over shards."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write


@dataclass(frozen=True, slots=True, order=True)
class DueIndexEntry:
    """Key of an item, and the time at which it was due."""

    due_at: str
    pk: str
    sk: str


class DueIndex(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Index of due items; claims and postpones them."""

    table: Table

    def entries_due(self, kind: DueKind, now: str) -> Iterator[DueIndexEntry]:
        """Yield the items of a kind that are due at `now`, oldest first."""
        return heapq.merge(*(self._shard_entries(shard, now) for shard in kind.partitions))

    def _shard_entries(self, shard: str, now: str) -> Iterator[DueIndexEntry]:
        start: Row | None = None
        while True:
            page = self.table.query(
                "DPK = :shard AND due_at <= :now",
                {":shard": shard, ":now": now},
                index="due",
                start=start,
            )
            for row in page.items:
                yield DueIndexEntry(row["due_at"], row["PK"], row["SK"])
            start = page.last_evaluated_key
            if start is None:
                return

    def claim(self, entry: DueIndexEntry, until: str) -> Row | None:
        """Move an item to `until` and return it; return None if another tick has claimed it."""
        write = Write(
            self.table,
            key={"PK": entry.pk, "SK": entry.sk},
            update="SET due_at = :later",
            condition="due_at = :found",
            values={":later": until, ":found": entry.due_at},
        )
        try:
            return self.table.write(write)
        except ConditionFailed as failure:
            # The item has the new time already: this call has moved it, but its response was lost.
            moved = failure.item is not None and failure.item.get("due_at") == until
            return failure.item if moved else None

    def postpone(self, pk: str, sk: str, until: str) -> bool:
        """Postpone a due item to `until`; return False if it is not due any more."""
        write = Write(
            self.table,
            key={"PK": pk, "SK": sk},
            update="SET due_at = :until",
            condition="attribute_exists(due_at)",
            values={":until": until},
        )
        try:
            self.table.write(write)
        except ConditionFailed:
            return False
        return True
