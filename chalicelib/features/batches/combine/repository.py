"""Repository of the progress of combined files: the row `COMBINE`, and the lease of who makes them.

Each part saves the start of the next function under the fence of the lease: the number of the part,
the index of the next item, and an object with the state of the writer.
"""

import datetime as dt
from contextlib import suppress
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.features.batches.bodies import folder
from chalicelib.features.batches.model import Batch, BatchKey, CombinedKind
from chalicelib.features.batches.rows import partition
from chalicelib.features.renders.run.bodies import engine_folder

# Longer than a part takes; a function that dies is followed by another one after that.
_LEASE: Final = dt.timedelta(minutes=3)
_PAST: Final = format_rfc3339(dt.datetime.fromtimestamp(0, dt.UTC))
_EXTENSIONS: Final[dict[CombinedKind, str]] = {"zip": "zip", "merged_pdf": "pdf"}


class PartialFile(msgspec.Struct, frozen=True):
    """Combined file in the making: its multipart upload, and the content of its parts so far."""

    kind: CombinedKind
    run: int
    upload_id: str
    parts: int = 0
    next_index: int = 0
    bytes: int = 0
    pages: int = 0
    # Key of the writer's state after these parts.
    state: str | None = None
    is_written: bool = False
    is_complete: bool = False


class CombineLease(NamedTuple):
    """Lease of one function, and the files so far.

    `tries` counts the leases since the last part was saved.
    """

    batch: Batch
    fence: int
    tries: int
    files: tuple[PartialFile, ...]

    def file(self, kind: CombinedKind) -> PartialFile | None:
        """Return the file of a kind, or None if it is not begun."""
        return next((file for file in self.files if file.kind == kind), None)

    def without(self, kind: CombinedKind) -> "CombineLease":
        """Return the lease without a file, which is begun anew."""
        return replace(self, files=tuple(each for each in self.files if each.kind != kind))

    def with_file(self, file: PartialFile) -> "CombineLease":
        """Return the lease with a file in its new state."""
        return replace(self, files=(*self.without(file.kind).files, file))


class CombineLeases(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Rows of all batches."""

    table: Table
    clock: Clock

    def take_lease(self, batch: Batch) -> CombineLease | None:
        """Take the lease of a batch, or return None if another function has it."""
        now = self.clock.now()
        write = Write(
            self.table,
            key=_key(batch),
            update="SET claimed_until = :until ADD fence :one, tries :one",
            condition="attribute_not_exists(PK) OR claimed_until < :now",
            values={
                ":until": format_rfc3339(now + _LEASE),
                ":now": format_rfc3339(now),
                ":one": 1,
            },
        )
        try:
            row = self.table.write(write)
        except ConditionFailed:
            return None
        assert row is not None
        stored = json.loads_own(row.get("files", "[]"))
        files = msgspec.convert(stored, tuple[PartialFile, ...])
        own = tuple(file for file in files if file.run == batch.run)
        return CombineLease(batch, row["fence"], row["tries"], own)

    def save(self, lease: CombineLease) -> None:
        """Save the files and prolong the lease; raise ConditionFailed if it is not ours."""
        write = Write(
            self.table,
            key=_key(lease.batch),
            update="SET claimed_until = :until, files = :files, tries = :none",
            condition="fence = :fence",
            values={
                ":until": format_rfc3339(self.clock.now() + _LEASE),
                ":files": json.dumps(msgspec.to_builtins(lease.files)),
                ":fence": lease.fence,
                ":none": 0,
            },
        )
        self.table.write(write)

    def give_back(self, lease: CombineLease) -> None:
        """End a lease, so that the next function can go on."""
        write = Write(
            self.table,
            key=_key(lease.batch),
            update="SET claimed_until = :past",
            condition="fence = :fence",
            values={":past": _PAST, ":fence": lease.fence},
        )
        with suppress(ConditionFailed):
            self.table.write(write)

    def delete(self, lease: CombineLease) -> None:
        """Delete the row, once nothing of the files in the making is left."""
        write = Write(
            self.table,
            key=_key(lease.batch),
            condition="fence = :fence",
            values={":fence": lease.fence},
        )
        with suppress(ConditionFailed):
            self.table.write(write)


def combine_item(batch: BatchKey) -> DueItem:
    """Return the message that the combined files of a batch are to be made."""
    return DueItem("combine", partition(batch))


def object_key(batch: Batch, kind: CombinedKind) -> str:
    """Return the key of a combined file."""
    return f"{folder(*batch.key)}/files/{batch.run}.{_EXTENSIONS[kind]}"


def state_key(batch: Batch, kind: CombinedKind, fence: int, parts: int) -> str:
    """Return the key of the state that the holder of a lease writes after some parts.

    The state before stays until the row is written. A function without the lease writes elsewhere.
    """
    name = f"{batch.id}/combine-{kind}-{fence}-{parts % 2}"
    return engine_folder(batch.workspace_id, name)


def _key(batch: Batch) -> Row:
    return {"PK": partition(batch.key), "SK": "COMBINE"}
