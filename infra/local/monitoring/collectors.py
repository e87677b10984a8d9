"""Metrics that are measured when Prometheus asks: queues, functions, memory and disk."""

import shutil
import time
from collections import Counter as Counts
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, override

import psutil
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from chalicelib.core.version import VERSION
from chalicelib.engine.versions import ENGINE_VERSIONS
from infra.local.monitoring.metrics import function_label
from infra.local.runner.pool import WorkerPool

# What MiniStack adds to the attributes of a queue (infra/local/ministack.py); SQS has it only in
# CloudWatch, by the same name.
OLDEST_AGE: Final = "ApproximateAgeOfOldestMessage"
_COUNTS: Final = {
    "ApproximateNumberOfMessages": "waiting",
    "ApproximateNumberOfMessagesNotVisible": "in_flight",
    "ApproximateNumberOfMessagesDelayed": "delayed",
}
MEASURED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "platen_queue_messages": ("messages of a queue", ("queue", "state")),
    "platen_queue_oldest_message_age_seconds": (
        "age of a queue's oldest message, waiting or in work; absent for queues of your own",
        ("queue",),
    ),
    "platen_invocations_running": ("invocations that run now", ("function",)),
    "platen_invocations_waiting": ("invocations that wait for a free worker", ("function",)),
    "platen_workers": ("workers of a function, idle ones too", ("function",)),
    "platen_processes": ("processes that a function's workers run in", ("function",)),
    "platen_memory_bytes": (
        "memory of process trees by part, shared memory counted once (PSS)",
        ("part",),
    ),
    "platen_data_free_bytes": ("free disk where the data folder is", ()),
    "platen_data_size_bytes": ("size of the disk where the data folder is", ()),
    "platen_ready": ("1 if `/readyz` answers with 200", ()),
    "platen_start_time_seconds": ("when the stack was started, in seconds since 1970", ()),
    "platen_build_info": ("always 1", ("version", "engine", "chromium")),
}
SCRAPE_ERRORS: Final = "platen_scrape_errors"


@dataclass(frozen=True, slots=True)
class MeasuredStack:
    """Parts of a stack that are measured; `parts` are the ids of its other processes by name."""

    pools: Mapping[str, WorkerPool]
    queues: Callable[[], Mapping[str, str]]
    queue_attributes: Callable[[str], Mapping[str, str]]
    parts: Callable[[], Mapping[str, int]]
    folder: Path
    is_ready: Callable[[], bool]


class StackCollector(Collector):
    """Collector of a stack; a source that fails leaves its metrics out and is counted."""

    def __init__(self, stack: MeasuredStack, registry: CollectorRegistry) -> None:
        """Register itself in `registry`."""
        self._stack = stack
        self._started_at = time.time()
        self._errors = Counter(
            SCRAPE_ERRORS,
            "measurements that have failed, by source",
            ["source"],
            registry=registry,
        )
        registry.register(self)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yield the families without values, so that registration measures nothing."""
        for name in MEASURED:
            yield _family(name)

    @override
    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Measure everything now."""
        sources: Mapping[str, Callable[[], list[GaugeMetricFamily]]] = {
            "queues": self._queues,
            "functions": self._functions,
            "memory": self._memory,
            "stack": self._state,
        }
        for source, measure in sources.items():
            try:
                yield from measure()
            except Exception:  # noqa: BLE001 -- one source must not hide the others
                self._errors.labels(source=source).inc()

    def _queues(self) -> list[GaugeMetricFamily]:
        messages, ages = (
            _family("platen_queue_messages"),
            _family("platen_queue_oldest_message_age_seconds"),
        )
        for queue, url in self._stack.queues().items():
            attributes = self._stack.queue_attributes(url)
            for attribute, state in _COUNTS.items():
                messages.add_metric([queue, state], float(attributes[attribute]))
            if OLDEST_AGE in attributes:
                ages.add_metric([queue], float(attributes[OLDEST_AGE]))
        return [messages, ages]

    def _functions(self) -> list[GaugeMetricFamily]:
        running, waiting = (
            _family("platen_invocations_running"),
            _family("platen_invocations_waiting"),
        )
        workers, processes = _family("platen_workers"), _family("platen_processes")
        for pool in self._pools():
            label, load = [function_label(pool.function.logical_id)], pool.load()
            running.add_metric(label, load.running)
            waiting.add_metric(label, load.waiting)
            workers.add_metric(label, load.workers)
            processes.add_metric(label, len(load.processes))
        return [running, waiting, workers, processes]

    def _memory(self) -> list[GaugeMetricFamily]:
        memory = _family("platen_memory_bytes")
        roots = {
            pid: function_label(pool.function.logical_id)
            for pool in self._pools()
            for pid in pool.load().processes
        } | {pid: part for part, pid in self._stack.parts().items()}
        parts = dict.fromkeys(roots.values(), 0) | bytes_by_part(psutil.Process(), roots)
        for part, size in parts.items():
            memory.add_metric([part], size)
        return [memory]

    def _state(self) -> list[GaugeMetricFamily]:
        disk = shutil.disk_usage(self._stack.folder)
        engine = ENGINE_VERSIONS[-1]
        build = _family("platen_build_info")
        build.add_metric([VERSION, engine.id, engine.chromium_version], 1)
        values = {
            "platen_data_free_bytes": disk.free,
            "platen_data_size_bytes": disk.total,
            "platen_ready": float(self._stack.is_ready()),
            "platen_start_time_seconds": self._started_at,
        }
        return [build, *(_family(name, value) for name, value in values.items())]

    def _pools(self) -> list[WorkerPool]:
        # They are added while the stack starts.
        return list(self._stack.pools.values())


def bytes_by_part(stack: psutil.Process, roots: Mapping[int, str]) -> dict[str, int]:
    """Return the memory of a process and its descendants by part.

    A process belongs to the part of its nearest ancestor in `roots`, or else to `stack`.
    """
    processes = {each.pid: each for each in [stack, *stack.children(recursive=True)]}
    sizes: Counts[str] = Counts()
    for pid, process in processes.items():
        sizes[_part(pid, processes, roots)] += _process_bytes(process)
    return dict(sizes)


def _part(pid: int, processes: Mapping[int, psutil.Process], roots: Mapping[int, str]) -> str:
    while pid not in roots:
        process = processes.get(pid)
        if process is None:
            return "stack"
        try:
            pid = process.ppid()
        except psutil.NoSuchProcess:
            return "stack"
    return roots[pid]


def _process_bytes(process: psutil.Process) -> int:
    """Return the memory of a process: PSS, or RSS if the kernel does not let its owner read it."""
    try:
        return int(process.memory_full_info().pss)
    except psutil.AccessDenied:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _family(name: str, value: float | None = None) -> GaugeMetricFamily:
    meaning, labels = MEASURED[name]
    return GaugeMetricFamily(
        name, meaning, value=value, labels=None if value is not None else labels
    )
