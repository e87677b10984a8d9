"""Index of due items: every item with `due_at`, spread over shards."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.due_shard import SHARDS, shard_name
from chalicelib.adapters.aws.messages import check_version, text_fields
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write

DUE_ITEM_VERSION: Final = 1
_KEY_FORMAT: Final = "[!-~]{1,200}"


@dataclass(frozen=True, slots=True)
class DueIndexEntry:
    """Key of an item, and the time at which it was due."""

    pk: str
    sk: str
    due_at: str


class DueIndex:
    """Index of due items; claims and postpones them."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Store the table and its name."""
        self._tables = tables
        self._table = table

    def entries_due(self, now: str) -> Iterator[DueIndexEntry]:
        """Yield the items that are due at `now`, shard by shard, the oldest of each shard first."""
        # In random order: a tick that runs out of time does not always skip the same shards.
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
        """Move an item to `until` and return it; return None if another tick has claimed it."""
        write = Write(
            self._table,
            key={"PK": entry.pk, "SK": entry.sk},
            update="SET due_at = :later",
            condition="due_at = :found",
            values={":later": until, ":found": entry.due_at},
        )
        try:
            return self._tables.write(write)
        except ConditionFailed as failure:
            # The item has the new time already: this call has moved it, but its response was lost.
            moved = failure.item is not None and failure.item.get("due_at") == until
            return failure.item if moved else None

    def postpone(self, pk: str, sk: str, until: str) -> bool:
        """Postpone a due item to `until`; return False if it is not due any more."""
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


@dataclass(frozen=True, slots=True)
class DueItem:
    """Message that a due item is to be handled."""

    pk: str
    sk: str
    request_id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the message as JSON for the queue."""
        return {"v": DUE_ITEM_VERSION, "pk": self.pk, "sk": self.sk, "request_id": self.request_id}

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "DueItem":
        """Parse a message of `to_json`; raise UnknownVersion or PoisonMessage."""
        check_version(message, DUE_ITEM_VERSION)
        pk, sk = text_fields(message, pk=_KEY_FORMAT, sk=_KEY_FORMAT)
        return cls(pk, sk)
