"""The due index: every item with `due_at`, spread over its partitions."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.due_shard import SHARDS, shard_name
from chalicelib.adapters.aws.messages import check_version, text_fields
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write


@dataclass(frozen=True, slots=True)
class DueIndexEntry:
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

    def entries_due(self, now: str) -> Iterator[DueIndexEntry]:
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
                    yield DueIndexEntry(row["PK"], row["SK"], row["due_at"])
                start = page.last_evaluated_key
                if start is None:
                    break

    def claim(self, entry: DueIndexEntry, until: str) -> Item | None:
        """Move an item on that is still due as it was found; None: somebody else has it."""
        write = Write(
            self._table,
            key={"PK": entry.pk, "SK": entry.sk},
            update="SET due_at = :later",
            condition="due_at = :found",
            values={":later": until, ":found": entry.due_at},
        )
        try:
            return self._tables.write(write)
        except ConditionFailed as lost:
            # Where it stands as it was to, this very call has moved it and its answer was lost.
            moved = lost.item is not None and lost.item.get("due_at") == until
            return lost.item if moved else None

    def postpone(self, pk: str, sk: str, until: str) -> bool:
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


DUE_ITEM_VERSION: Final = 1
_KEY_FORMAT: Final = "[!-~]{1,200}"


@dataclass(frozen=True, slots=True)
class DueItem:
    """Do for one item what it is due for."""

    pk: str
    sk: str
    request_id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the queue's message."""
        return {"v": DUE_ITEM_VERSION, "pk": self.pk, "sk": self.sk, "request_id": self.request_id}

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "DueItem":
        """Read what `to_json` wrote; raises UnknownVersion or Poison."""
        check_version(message, DUE_ITEM_VERSION)
        pk, sk = text_fields(message, pk=_KEY_FORMAT, sk=_KEY_FORMAT)
        return cls(pk, sk)
