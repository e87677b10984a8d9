"""Benchmark: release of a batch's items and the bookkeeping of their ends, without their renders.

`make bench NAME=release`, or `NAME="release 2000 100000"` for batches of other sizes. The releaser
and two relays work at the same time, in processes of their own as their functions do, with queues
in memory, since the emulator's takes some 250 sends a second. Half of the items in flight end
between two rounds: their claims and final states are timed apart and taken off. The same rows are
written bare before and after, 50 a transaction. A larger batch is to be as fast as a small one,
and take no more memory. Not counted as calls are what makes the file (the engine's, and that for
the object), and receiving and deleting messages.
"""

import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import batched
from typing import Final, NamedTuple

from chalicelib.adapters.aws.table import Item, Tables, Write
from chalicelib.core.ids import BatchId, RenderId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.lease import release_item
from chalicelib.features.batches.model import ITEMS_PER_PARTITION, BatchKey, ItemCounts
from chalicelib.features.batches.repository import Batches
from chalicelib.features.batches.rows import item_sort_key, items_partition
from chalicelib.features.renders.rows import partition
from chalicelib.features.workspaces.plans import PLANS
from infra.bench.batches.functions import build_relay, build_releaser, build_renders
from infra.bench.batches.own_service import OwnFunction, OwnProcess, OwnService, SentMessage
from infra.local.running_stack import running_stack

LIMIT: Final = 0.4
LARGE_LIMIT: Final = 0.9
MEMORY_LIMIT: Final = 1.2
CALLS_LIMIT: Final = 5.0
SIZES: Final = (2_000, 20_000)
COUNTED: Final = 200
_RELAYS: Final = 2
_RENDER_PROCESSES: Final = 2
# Messages of one invocation.
_BATCH_SIZE: Final = 10
_ENDED_AT_ONCE: Final = PLANS["scale"].bulk_concurrency // 2
_BARE_ITEMS: Final = 2_000
_BARE_ROWS: Final = 50
_TEMPLATE: Final[JsonObject] = {
    "name": "Bench",
    "type": "html",
    "html": "<h1>{{ name }}</h1>",
    "publish": True,
}


class _Figures(NamedTuple):
    """Figures of a batch: items per second, calls of an item, and peaks of memory by function."""

    rate: float
    bare: float
    calls: Mapping[str, float]
    peaks_mb: Mapping[str, float]

    @property
    def ratio(self) -> float:
        return self.rate / self.bare


def main() -> int:
    """Print the tables and the ratio of the first size; 1 when a limit is not met."""
    sizes = tuple(map(int, sys.argv[2:])) or SIZES
    with running_stack() as stack:
        service = OwnService.on(stack)
        template = service.post("/v1/templates", _TEMPLATE)
        counted, *runs = (_measure(service, template, size) for size in (COUNTED, *sizes))
    for size, run in zip(sizes, runs, strict=True):
        peaks = ", ".join(f"{name} {peak:.0f} MB" for name, peak in run.peaks_mb.items())
        sys.stdout.write(f"{size} items: {run.rate:.0f} items/s, bare rows {run.bare:.0f} items/s")
        sys.stdout.write(f", {run.ratio:.2f}; peaks: {peaks}\n")
    calls = sum(counted.calls.values())
    sys.stdout.write(f"{calls:.2f} calls an item (limit {CALLS_LIMIT})\n")
    for call, count in sorted(counted.calls.items()):
        sys.stdout.write(f"  {call:<34}{count:.3f}\n")
    first, last = runs[0], runs[-1]
    speed = last.rate / first.rate
    memory = max(last.peaks_mb[name] / first.peaks_mb[name] for name in first.peaks_mb)
    sys.stdout.write(f"rate, {sizes[-1]} / {sizes[0]} items: {speed:.2f}")
    sys.stdout.write(f" (limit {LARGE_LIMIT}, at least)\n")
    sys.stdout.write(f"memory, {sizes[-1]} / {sizes[0]} items: {memory:.2f}")
    sys.stdout.write(f" (limit {MEMORY_LIMIT})\n")
    sys.stdout.write(f"release: {first.ratio:.2f} (limit {LIMIT}, at least)\n")
    is_even = speed >= LARGE_LIMIT and memory <= MEMORY_LIMIT
    return int(first.ratio < LIMIT or calls > CALLS_LIMIT or not is_even)


def _measure(service: OwnService, template: JsonObject, size: int) -> _Figures:
    """Accept a batch, and end it in new processes."""
    items = [{"data": {"name": f"Customer {number}"}} for number in range(size)]
    body: JsonObject = {"template_id": template["id"], "items": items}
    batch_id = BatchId(str(service.post("/v1/batches", body)["id"]))
    with closing(_Rounds(service, (WorkspaceId(service.workspace), batch_id))) as rounds:
        rounds.take_turn()
        rows = rounds.rows_of_first_item()
        before = rounds.bare_rate(rows, "before")
        while rounds.take_turn():
            pass
        after = rounds.bare_rate(rows, "after")
        rounds.check()
    return _Figures(
        rate=size / rounds.seconds,
        bare=(before + after) / 2,
        calls={name: count / size for name, count in rounds.calls.items()},
        peaks_mb=rounds.peaks_mb,
    )


class _Rounds:
    """Rounds in which releaser and relays serve what waits, and then renders end."""

    def __init__(self, service: OwnService, batch: BatchKey) -> None:
        self._batch = batch
        self._table = service.variables["PLATEN_MAIN_TABLE"]
        self._tables = Tables(OwnProcess(service.variables).clients("bench"))
        self._functions = {
            "batches": OwnFunction(build_releaser, service.variables, 1),
            "events": OwnFunction(build_relay, service.variables, _RELAYS),
            "batch_items": OwnFunction(build_renders, service.variables, _RENDER_PROCESSES),
        }
        self._names = {
            service.variables[f"PLATEN_{name.upper()}_QUEUE_URL"]: name for name in self._functions
        }
        self._queues: defaultdict[str, deque[JsonObject]] = defaultdict(deque)
        self._queues["batches"].append(release_item(batch[0]).to_json())
        self._delayed: list[SentMessage] = []
        self.seconds = 0.0
        self.calls: Counter[str] = Counter()
        self.peaks_mb: dict[str, float] = {}

    def take_turn(self) -> bool:
        """Serve what waits now, or else what is delayed; False: nothing is."""
        self._deliver(time.monotonic())
        if self._delayed and not any(self._queues.values()):
            # Real renders end meanwhile; waiting is no work that is measured.
            time.sleep(max(0.0, min(each.due_at for each in self._delayed) - time.monotonic()))
            return True
        started = time.perf_counter()
        is_served = self._serve({name: self._take(name) for name in ("batches", "events")})
        self.seconds += time.perf_counter() - started
        return self._serve({"batch_items": self._take("batch_items", _ENDED_AT_ONCE)}) or is_served

    def _deliver(self, now: float) -> None:
        """Put the messages that are due into their queues."""
        due = [each for each in self._delayed if each.due_at <= now]
        self._delayed = [each for each in self._delayed if each.due_at > now]
        for each in due:
            self._queues[self._names[each.url]].append(each.body)

    def _take(self, name: str, limit: int | None = None) -> Sequence[JsonObject]:
        queue = self._queues[name]
        count = len(queue) if limit is None else min(limit, len(queue))
        return [queue.popleft() for _ in range(count)]

    def _serve(self, messages: Mapping[str, Sequence[JsonObject]]) -> bool:
        invocations = [
            (name, self._functions[name].invoke(group))
            for name, waiting in messages.items()
            for group in batched(waiting, _BATCH_SIZE, strict=False)
        ]
        for name, invocation in invocations:
            sent, calls, peak_mb = invocation.get()
            self._delayed += sent
            self.calls += calls
            self.peaks_mb[name] = max(peak_mb, self.peaks_mb.get(name, 0))
        return bool(invocations)

    def check(self) -> None:
        """Raise AssertionError unless the batch has ended well."""
        batch = Batches(self._tables, self._table).get(self._batch)
        assert batch is not None
        assert batch.counts == ItemCounts(succeeded=batch.total), batch

    def rows_of_first_item(self) -> Sequence[Item]:
        """Return the rows of the first item and its render, once it is released."""
        item = self._tables.get(self._table, items_partition(self._batch, 0), item_sort_key(0))
        assert item is not None
        render_id = RenderId(item["render_id"])
        render = self._tables.get(self._table, partition(self._batch[0], render_id))
        assert render is not None
        return item, render

    def bare_rate(self, rows: Sequence[Item], name: str) -> float:
        """Return the items per second whose rows are written without anything else."""
        copies = (copied for number in range(_BARE_ITEMS) for copied in _copies(rows, name, number))
        started = time.perf_counter()
        for group in batched(copies, _BARE_ROWS, strict=False):
            self._tables.transact(Write(self._table, item=row) for row in group)
        return _BARE_ITEMS / (time.perf_counter() - started)

    def close(self) -> None:
        """End the processes."""
        for function in self._functions.values():
            function.close()


def _copies(rows: Sequence[Item], name: str, number: int) -> Iterator[Item]:
    """Yield the rows of an item of its own, in partitions as those of a batch are."""
    item, render = rows
    block, index = divmod(number, ITEMS_PER_PARTITION)
    yield item | {"PK": f"{item['PK']}#{name}{block}", "SK": item_sort_key(index)}
    yield render | {"PK": f"{render['PK']}#{name}{number}", "LSK": f"{render['LSK']}{number}"}
