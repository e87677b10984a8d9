"""Receipts of a render with many uploads: rows of their own in its partition (decision 50).

`RECEIPTS#<attempt>#<target>#<n>` has some receipts of one target. An attempt writes its rows before
the final state, which names the targets; the uploads then change them. Rows of an attempt that did
not get that far end by themselves.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import batched
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, Row, RowValue, Table, Write
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import Render, StorageReceipt, UploadTargets
from chalicelib.features.renders.rows import partition

# Six formats at ten destinations. More receipts than this have their own rows, since each change
# of a row writes all of it; fewer cost no second write and no second read.
_MAX_ROW_RECEIPTS: Final = 60
# Each change writes a whole row.
_ROW_RECEIPTS: Final = 25
# A transaction has 4 MB at most, and a receipt up to 3 KB.
_MAX_ROWS_AT_ONCE: Final = 50
# Longer than uploads are repeated: by then each row has been written again.
_UNCHANGED_KEPT: Final = dt.timedelta(days=14)
# JSON of a receipt without its path.
_RECEIPT_BYTES: Final = 300


class ReceiptPlace(NamedTuple):
    """Where the receipts of one target stand; `target` is its number."""

    workspace_id: WorkspaceId
    render_id: RenderId
    attempt: int
    target: int


class ReceiptRows(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Rows of receipts of all workspaces."""

    table: Table

    def store(self, render: Render) -> None:
        """Store the receipts of an attempt, before its final state; idempotent."""
        if render.upload_targets is None:
            return
        writes = self._creations(render, render.upload_targets)
        for some in batched(writes, _MAX_ROWS_AT_ONCE, strict=False):
            self.table.transact(some)

    def with_receipts(self, render: Render) -> Render:
        """Return a render with its receipts; reads nothing where it has them already."""
        if render.upload_targets is None or render.storage:
            return render
        targets = range(len(render.upload_targets.destination_ids))
        keys = [key for target in targets for key in _keys(render, target)]
        return render._replace(storage=tuple(self._read(keys)))

    def of_target(self, render: Render, target: int) -> tuple[StorageReceipt, ...]:
        """Return the receipts of one target, file by file."""
        return tuple(self._read(_keys(render, target)))

    def changes(
        self, place: ReceiptPlace, changed: Sequence[StorageReceipt], kept_until: int
    ) -> Iterator[Write]:
        """Yield the writes of receipts that have changed, whose rows then live until that second.

        They are refused if the rows are gone.
        """
        by_row: defaultdict[int, list[StorageReceipt]] = defaultdict(list)
        for each in changed:
            by_row[each.file_index // _ROW_RECEIPTS].append(each)
        for number, receipts in by_row.items():
            by_index = {each.file_index % _ROW_RECEIPTS: _receipt_item(each) for each in receipts}
            sets = ", ".join(f"receipts[{index}] = :r{index}" for index in by_index)
            values: dict[str, RowValue] = {f":r{n}": item for n, item in by_index.items()}
            yield Write(
                self.table,
                key=_key(place, number),
                update=f"SET {sets}, #ttl = :ttl",
                condition="attribute_exists(PK)",
                names={"#ttl": "ttl"},
                values={**values, ":ttl": kept_until},
            )

    def _creations(self, render: Render, targets: UploadTargets) -> Iterator[Write]:
        assert render.completed_at is not None, render.id
        ttl = int((parse_rfc3339(render.completed_at) + _UNCHANGED_KEPT).timestamp())
        size = len(render.storage) // len(targets.destination_ids)
        for target, receipts in enumerate(batched(render.storage, size, strict=True)):
            place = ReceiptPlace(render.workspace_id, render.id, render.attempt, target)
            for number, some in enumerate(batched(receipts, _ROW_RECEIPTS, strict=False)):
                item: Row = {
                    **_key(place, number),
                    "destination_id": some[0].destination_id,
                    "first": some[0].file_index,
                    "receipts": [_receipt_item(each) for each in some],
                    "ttl": ttl,
                }
                yield Write(self.table, item=item)

    def _read(self, keys: Sequence[tuple[str, str]]) -> Iterator[StorageReceipt]:
        for some in batched(keys, BATCH_GET_LIMIT, strict=False):
            for row in self.table.get_many(some):
                yield from _receipts(row)


def upload_targets(receipts: Sequence[StorageReceipt], file_count: int) -> UploadTargets | None:
    """Return the targets of receipts, target by target, that get rows of their own."""
    if len(receipts) <= _MAX_ROW_RECEIPTS:
        return None
    paths = sum(len((each.path or "").encode()) for each in receipts)
    return UploadTargets(
        tuple(each.destination_id for each in receipts[::file_count]),
        paths + _RECEIPT_BYTES * len(receipts),
    )


def _keys(render: Render, target: int) -> list[tuple[str, str]]:
    """Return the keys of the rows of a target: as many as the files of the render need."""
    place = ReceiptPlace(render.workspace_id, render.id, render.attempt, target)
    numbers = range(0, len(render.file_formats), _ROW_RECEIPTS)
    keys = [_key(place, number) for number in range(len(numbers))]
    return [(key["PK"], key["SK"]) for key in keys]


def _key(place: ReceiptPlace, number: int) -> dict[str, str]:
    return {
        "PK": partition(place.workspace_id, place.render_id),
        "SK": f"RECEIPTS#{place.attempt}#{place.target:02}#{number:02}",
    }


def _receipt_item(receipt: StorageReceipt) -> Row:
    """Return a receipt without the members that follow from its row and its place."""
    values = receipt._asdict()
    del values["destination_id"], values["file_index"]
    return {name: value for name, value in values.items() if value is not None}


def _receipts(row: Row) -> Iterator[StorageReceipt]:
    for n, each in enumerate(row["receipts"]):
        yield StorageReceipt(
            destination_id=row["destination_id"],
            file_index=row["first"] + n,
            **{"path": None} | each,
        )
