"""Import of a CSV: its records become the items of a batch, chunk by chunk.

The position is saved with each chunk, so the next function goes on there. A chunk that is stored
twice is the same.
"""

import datetime as dt
import logging
from collections.abc import Callable, Iterator
from copy import replace
from itertools import islice
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core import json
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.batches.bodies import Chunk, CsvForm, csv_key, pack_lines
from chalicelib.features.batches.csv.reader import CsvItem, CsvRecord, item_of_record, read_records
from chalicelib.features.batches.csv.repository import CsvPosition, CsvPositions
from chalicelib.features.batches.model import MAX_ITEMS, Batch
from chalicelib.features.batches.stores import BatchStores

log = logging.getLogger(__name__)

_TOO_MANY: Final = {
    "code": "payload_too_large",
    "message": f"The CSV has more than {MAX_ITEMS} records. Send it as several batches.",
}


class ImportCsv(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Import of the CSV files of batches; each chunk is counted once.

    `fail` ends a batch that has an error.
    """

    stores: BatchStores
    positions: CsvPositions
    objects: Objects
    fail: Callable[[Batch], Batch]
    clock: Clock

    def __call__(self, batch: Batch, until: dt.datetime) -> Batch:
        """Read on until the end, or some time; return the batch, whose items are then counted.

        Raises ConditionFailed if another function has gone on meanwhile.
        """
        template = self.stores.bodies.template(*batch.key)
        assert template is not None, f"the template of {batch.id} is gone"
        assert template.csv is not None, batch.id
        position = self.positions.find(batch, template.csv.format.data_start)
        for chunk, after in self._chunks(batch, template.csv, position):
            if after.total > MAX_ITEMS:
                return self.fail(replace(batch, error=_TOO_MANY))
            self.stores.bodies.store_chunk(batch.key, len(position.starts), chunk)
            crash_if_armed(CrashPoint.BATCH_CHUNK_STORED)
            self.positions.save(batch, position, after)
            crash_if_armed(CrashPoint.BATCH_CHUNK_COUNTED)
            position = after
            if self.clock.now() > until:
                return batch
        if not position.is_read:
            self.positions.save(batch, position, position._replace(is_read=True))
        self.objects.delete(csv_key(*batch.key))
        counted = replace(batch, status="processing", total=position.total)
        self.stores.table.transact([self.stores.batches.change(batch, counted)])
        crash_if_armed(CrashPoint.BATCH_COUNTED)
        log.info("csv counted", extra={"batch": batch.id, "items": counted.total})
        return counted

    def _chunks(
        self, batch: Batch, form: CsvForm, position: CsvPosition
    ) -> Iterator[tuple[Chunk, CsvPosition]]:
        """Yield the chunks from a position on, each with the position after it."""
        if position.is_read:
            return
        version = self.objects.find(csv_key(*batch.key))
        assert version is not None, f"the CSV of {batch.id} is gone"
        if position.offset >= version.size:
            return
        with self.objects.get_rest(version, position.offset) as stream:
            records = read_records(
                stream, form.format, offset=position.offset, number=position.number
            )
            last: list[CsvRecord] = []
            lines = _lines(records, form, last)
            # One more than are allowed tells that there are too many.
            for chunk_lines in pack_lines(islice(lines, MAX_ITEMS + 1 - position.total)):
                chunk = Chunk(position.total, is_csv=True, lines=chunk_lines)
                record = last[len(chunk_lines) - 1]
                del last[: len(chunk_lines)]
                position = CsvPosition(
                    record.end,
                    record.number + 1,
                    (*position.starts, chunk.first),
                    position.total + len(chunk_lines),
                )
                yield chunk, position


def _lines(records: Iterator[CsvRecord], form: CsvForm, passed: list[CsvRecord]) -> Iterator[bytes]:
    """Yield the items of records as JSON; the records go to `passed`, without their fields."""
    for record in records:
        passed.append(record._replace(fields=None))
        item = item_of_record(record, form.format.columns, form.mapping)
        yield json.dumps(_fields(item)).encode()


def _fields(item: CsvItem) -> dict[str, object]:
    return {name: value for name, value in item._asdict().items() if value is not None}
