"""Repository of positions in CSV files: how far each is read."""

from typing import NamedTuple

import msgspec

from chalicelib.adapters.aws.table import RowValue, Table, Write
from chalicelib.features.batches.csv.reader import FIRST_DATA_RECORD
from chalicelib.features.batches.model import Batch
from chalicelib.features.batches.rows import partition


class CsvPosition(NamedTuple):
    """How far a CSV is read: the next byte, the number of its record, and the chunks so far.

    With `is_read` nothing follows, and the CSV is not needed any more.
    """

    offset: int
    number: int
    starts: tuple[int, ...]
    total: int
    is_read: bool = False


class CsvPositions(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Rows that tell how far the CSV files of batches are read."""

    table: Table

    def find(self, batch: Batch, data_start: int) -> CsvPosition:
        """Return how far the CSV of a batch is read."""
        row = self.table.get(partition(batch.key), "CHUNKS")
        assert row is not None, batch.id
        if "offset" not in row:
            return CsvPosition(data_start, FIRST_DATA_RECORD, (), 0)
        fields = {name: row[name] for name in CsvPosition._fields if name in row}
        return CsvPosition(**fields | {"starts": tuple(row["starts"])})

    def save(self, batch: Batch, before: CsvPosition, after: CsvPosition) -> None:
        """Save how far the CSV of a batch is read; raises ConditionFailed unless from `before`."""
        names = {f"#{name}": name for name in CsvPosition._fields}
        values: dict[str, RowValue] = {f":{name}": value for name, value in after._asdict().items()}
        write = Write(
            self.table,
            key={"PK": partition(batch.key), "SK": "CHUNKS"},
            update="SET " + ", ".join(f"#{name} = :{name}" for name in CsvPosition._fields),
            condition="#starts = :seen OR #starts = :starts",
            names=names,
            values=values | {":seen": list(before.starts), ":starts": list(after.starts)},
        )
        self.table.write(write)
