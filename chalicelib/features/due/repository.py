"""The due index: every item with `due_at`, spread over its partitions."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from chalicelib.adapters.aws.due import SHARDS, shard_name
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write


@dataclass(frozen=True, slots=True)
class DueItem:
    """The key of an item, and when it was due."""

    pk: str
    sk: str
    due_at: str


class DueIndex:
    """Finds what is due and moves it on."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Read the index of this table."""
        self._tables = tables
        self._table = table

    def until(self, now: str) -> Iterator[DueItem]:
        """Yield what is due, partition by partition, each one's longest waiting first."""
        for shard in random.sample(range(SHARDS), SHARDS):
            start: Item | None = None
            while True:
                page = self._tables.query(
                    self._table,
                    "DPK = :shard AND due_at <= :now",
                    {":shard": shard_name(shard), ":now": now},
                    index="due",
                    start=start,
                )
                for row in page.items:
                    yield DueItem(row["PK"], row["SK"], row["due_at"])
                start = page.last_key
                if start is None:
                    break

    def postpone(self, item: DueItem, later: str) -> Item | None:
        """Move an item on that is still due as it was found; None: somebody else has it."""
        write = Write(
            self._table,
            key={"PK": item.pk, "SK": item.sk},
            update="SET due_at = :later",
            condition="due_at = :found",
            values={":later": later, ":found": item.due_at},
        )
        try:
            return self._tables.write(write)
        except ConditionFailed as lost:
            # Where it stands as it was to, this very call has moved it and its answer was lost.
            moved = lost.item is not None and lost.item.get("due_at") == later
            return lost.item if moved else None

    def put_off(self, pk: str, sk: str, until: str) -> bool:
        """Have an item wait that cannot be done now; tell whether it is due at all."""
        write = Write(
            self._table,
            key={"PK": pk, "SK": sk},
            update="SET due_at = :until",
            condition="attribute_exists(due_at)",
            values={":until": until},
        )
        try:
            self._tables.write(write)
        except ConditionFailed:
            return False
        return True
