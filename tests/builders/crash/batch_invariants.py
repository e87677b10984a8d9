"""Invariants of a workspace's batches, however often their functions were killed."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Final, NamedTuple

from chalicelib.adapters.aws.table import Row
from chalicelib.core import json
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import WorkspaceId, derived_id
from chalicelib.features.batches.bodies import folder
from chalicelib.features.batches.model import (
    PROGRESS_STEPS,
    Batch,
    BatchItem,
    BatchStatus,
    counter_name,
)
from chalicelib.features.batches.rows import batch_of, item_of, items_partition, partition
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of

_END: Final = PROGRESS_STEPS + 1
_STEPS: Final = {str(n): n for n in range(1, _END)} | {f"pause {n}": 0 for n in range(1, 9)}


class BatchEnd(NamedTuple):
    """Expected end of a batch: its items that succeeded, failed and were canceled, if known."""

    counts: tuple[int, int, int] | None
    status: BatchStatus = "completed"
    run: int = 1


class BatchRows:
    """Rows of a workspace at one moment."""

    def __init__(self, rows: Sequence[Row], workspace: WorkspaceId) -> None:
        self.rows: list[Row] = [{name: _plain(row[name]) for name in row} for row in rows]
        self.workspace = workspace

    @cached_property
    def renders(self) -> list[Row]:
        """Return the rows of renders, oldest first."""
        found = [row for row in self.rows if "#RND#" in row["PK"] and row["SK"] == "META"]
        return sorted(found, key=lambda row: str(row["id"]))

    @cached_property
    def batches(self) -> list[Row]:
        """Return the rows of batches, oldest first."""
        start = f"WS#{self.workspace}#BAT#"
        found = [row for row in self.rows if row["PK"].startswith(start) and row["SK"] == "META"]
        return sorted(found, key=lambda row: str(row["id"]))

    def of(self, pk: str, sk: str) -> list[Row]:
        """Return the rows of a partition whose sort key begins so, in order."""
        found = [row for row in self.rows if row["PK"] == pk and row["SK"].startswith(sk)]
        return sorted(found, key=lambda row: str(row["SK"]))


def _plain(value: object) -> object:
    return int(value) if isinstance(value, Decimal) else value


def batch_faults(rows: BatchRows, ends: Sequence[BatchEnd]) -> Iterator[str]:
    """Yield open batches, and the broken invariants of batches, items, counters and events."""
    if len(rows.batches) != len(ends):
        yield f"{len(rows.batches)} batches"
        return
    for row, end in zip(rows.batches, ends, strict=True):
        yield from _batch(rows, row, end)
    yield from _open(rows)


def limits_faults(rows: BatchRows, allowance: int) -> Iterator[str]:
    """Yield unless the workspace has used exactly its succeeded renders."""
    (item,) = rows.of(f"WS#{rows.workspace}#LIM", "META")
    used = sum(row["status"] == "succeeded" for row in rows.renders)
    if used != sum(row["billed"] for row in rows.renders):
        yield "what succeeded is not what is billed"
    if (item["used"], item["quota_left"]) != (used, allowance - used):
        yield f"{used} used, limits {item}"
    if item["holds"] or item["leases"]:
        yield f"holds {item['holds']}, leases {item['leases']}"


def object_faults(
    rows: BatchRows, keys: Sequence[str], erased: Container[str] = ()
) -> Iterator[str]:
    """Yield unless there are the files of renders, and the data of batches that are not erased."""
    expected = [
        file["key"]
        for row in rows.renders
        if row["files_purged_at"] is None
        for file in json.loads_own(row["outcome"]).get("files", [])
    ]
    for row in rows.batches:
        if row["id"] not in erased:
            of_batch = folder(rows.workspace, row["id"])
            expected += [f"{of_batch}/template", f"{of_batch}/items/0"]
            expected += [file.key for file in batch_of(row).files]
    if sorted(keys) != sorted(expected):
        yield f"objects {keys}, expected {expected}"


def _batch(rows: BatchRows, row: Row, end: BatchEnd) -> Iterator[str]:
    batch = batch_of(row)
    counts = batch.counts if end.counts is None else end.counts
    if (batch.status, batch.run, batch.counts) != (end.status, end.run, counts):
        yield f"it is {batch.status} in run {batch.run}, {batch.counts}"
        return
    items = [item_of(each) for each in rows.of(items_partition(batch.key, 0), "ITEM#")]
    renders = [render_of(each) for each in rows.renders if each.get("batch_id") == batch.id]
    yield from _items(batch, items, renders)
    yield from _counters(rows.of(partition(batch.key), "COUNT#"), renders)
    yield from _events(batch, rows.of(partition(batch.key), "EVENT#"))


def _items(batch: Batch, items: Sequence[BatchItem], renders: Sequence[Render]) -> Iterator[str]:
    """Yield unless each item has one render for each run that released it."""
    counted = Counter(item.status for item in items)
    if batch.status == "canceled":
        counted["canceled"] += batch.total - len(items)
    assert batch.counts is not None
    if batch.counts.total != batch.total:
        yield f"counts {batch.counts} of {batch.total} items"
    if +counted != +Counter(batch.counts._asdict()):
        yield f"items {counted}, counts {batch.counts}"
    if batch.released != len(renders):
        yield f"{batch.released} released, {len(renders)} renders"
    of_items: dict[int, list[Render]] = {item.index: [] for item in items}
    for render in sorted(renders, key=lambda each: each.batch_run):
        assert render.batch_index is not None
        of_items.setdefault(render.batch_index, []).append(render)
    for item in items:
        yield from _item(item, of_items.pop(item.index))
    if of_items:
        yield f"renders of {list(of_items)}, which have no rows"


def _item(item: BatchItem, renders: Sequence[Render]) -> Iterator[str]:
    runs = [render.batch_run for render in renders]
    if runs != list(range(1, item.run + 1)):
        yield f"item {item.index} of run {item.run} has renders of the runs {runs}"
        return
    *earlier, last = renders
    if (item.render_id, item.status) != (last.id, last.status):
        yield f"item {item.index} is {item.status}, its render {last.status}"
    if any(render.status != "failed" for render in earlier):
        yield f"item {item.index} was released again, although it had not failed"
    if item.previous_render_id != (earlier[-1].id if earlier else None):
        yield f"item {item.index} names {item.previous_render_id} as previous"


def _counters(rows: Sequence[Row], renders: Sequence[Render]) -> Iterator[str]:
    counted: Counter[str] = Counter()
    for row in rows:
        counted.update({name: int(row[name]) for name in row if name not in {"PK", "SK"}})
    recount = Counter(counter_name(render.status, render.batch_run) for render in renders)
    recount["ended"] = len(renders)
    if +counted != +recount:
        yield f"counted {counted}, recounted {recount}"


def _events(batch: Batch, rows: Sequence[Row]) -> Iterator[str]:
    """Yield unless each tenth, each pause and each end has one event, in this order."""
    told = sorted((row["created_at"], *_place(batch, row)) for row in rows)
    places = [place for _, *place in told if place != [0, 0]]
    pauses = len(told) - len(places)
    if pauses != batch.pauses or len({row["id"] for row in rows}) != len(rows):
        yield f"{batch.pauses} pauses, events {told}"
    if sorted(places) != places or len(set(map(tuple, places))) != len(places):
        yield f"events {told}"
    ends = [run for run, step in places if step == _END]
    if ends != list(range(1, batch.run + 1)):
        yield f"ends of the runs {ends}"
    tenths = [step for run, step in places if run == 1 and step < _END]
    if batch.status == "completed" and tenths[-1:] != [PROGRESS_STEPS]:
        yield f"tenths {tenths}"
    if batch.status == "completed" and batch.total >= PROGRESS_STEPS > len(tenths):
        yield f"tenths {tenths}, but {batch.total} items"


def _place(batch: Batch, event: Row) -> tuple[int, int]:
    """Return run and tenth of an event; of a pause two zeros."""
    steps = {"batch.completed": {"": _END}, "batch.progress": _STEPS}[event["type"]]
    at = parse_rfc3339(event["created_at"])
    for run in range(1, batch.run + 1):
        for step, number in steps.items():
            if derived_id("evt", at, batch.id, event["type"], str(run), step) == event["id"]:
                return (run, number) if number else (0, 0)
    message = f"{event['id']} is no event of {batch.id}"
    raise AssertionError(message)


def _open(rows: BatchRows) -> Iterator[str]:
    """Yield rows that are due, active or not published."""
    for row in rows.rows:
        is_data = row["PK"].startswith("FILE#") or row.get("data_until")
        if "due_at" in row and not is_data:
            yield f"{row['PK']} {row['SK']} is due at {row['due_at']}"
        if row["SK"].startswith("ACTIVE#"):
            yield f"{row['SK']} is active"
        if row["SK"].startswith("EVENT#") and "published_at" not in row:
            yield f"{row['type']} of {row['PK']} is not published"
