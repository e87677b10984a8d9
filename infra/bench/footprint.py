"""Benchmark: the whole local stack's memory, at rest after ten renders and under twenty clients.

`make bench NAME=footprint`: PSS of all processes, by part. Under load it is the highest of samples,
beside the processor time of each part for one render.
"""

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import psutil

from infra.bench.documents import render_request
from infra.bench.latency import BenchClient
from infra.bench.load import CLIENTS, run_clients
from infra.local.running_stack import running_stack

LIMIT: Final = 1.0
AT_REST_MB: Final = 800
UNDER_LOAD_MB: Final = 1200
RENDERS: Final = 10
SECONDS: Final = 15.0
_SETTLE_SECONDS: Final = 10.0
_SAMPLE_SECONDS: Final = 1.0
# Parts by a word of the command line.
_PARTS: Final = {
    "ministack.py": "MiniStack",
    "dynoxide": "dynoxide",
    "java": "Java",
    "chromium": "Chromium",
}

# Sizes in bytes, or times in seconds.
type _Parts = Mapping[str, float]


def main() -> int:
    """Print both tables and the ratios; 1 when one is over the limit."""
    payload = json.dumps(render_request()).encode()
    with running_stack() as stack:
        root = psutil.Process(stack.pid)
        client = BenchClient(stack)
        for _ in range(RENDERS):
            client.render(payload)
        time.sleep(_SETTLE_SECONDS)
        at_rest, before = _measure(root)
        loads = _Loads(root)
        times = run_clients(stack, payload, SECONDS)
        under_load, after = loads.stop()
    _print_table(f"at rest after {RENDERS} renders", at_rest, AT_REST_MB)
    spent = {part: 1000 * (after[part] - before.get(part, 0)) / len(times) for part in after}
    _print_table(f"under {CLIENTS} clients", under_load, UNDER_LOAD_MB, spent)
    ratios = (_mb(at_rest) / AT_REST_MB, _mb(under_load) / UNDER_LOAD_MB)
    sys.stdout.write(f"footprint: {ratios[0]:.2f}, {ratios[1]:.2f} (limit {LIMIT} each)\n")
    return int(max(ratios) > LIMIT)


class _Loads:
    """Sampler of the memory, in a thread, until it is stopped."""

    def __init__(self, root: psutil.Process) -> None:
        self._root = root
        self._stopping = threading.Event()
        self._highest: _Parts = {}
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()

    def stop(self) -> tuple[_Parts, _Parts]:
        """Return the highest sample, and the processor time until now."""
        times = _measure(self._root)[1]
        self._stopping.set()
        self._thread.join()
        return self._highest, times

    def _sample(self) -> None:
        while not self._stopping.wait(_SAMPLE_SECONDS):
            sizes = _measure(self._root)[0]
            self._highest = max(self._highest, sizes, key=_mb)


def _measure(root: psutil.Process) -> tuple[_Parts, _Parts]:
    """Return the bytes of each part, shared memory counted once (PSS), and its processor time."""
    sizes: defaultdict[str, float] = defaultdict(float)
    times: defaultdict[str, float] = defaultdict(float)
    for process in (root, *root.children(recursive=True)):
        try:
            name = "the stack itself" if process == root else _part(process.cmdline())
            sizes[name] += process.memory_full_info().pss
            spent = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        # Children that have ended: the stack itself has only those that prepared its start.
        ended = 0.0 if process == root else spent.children_user + spent.children_system
        times[name] += spent.user + spent.system + ended
    return sizes, times


def _part(words: list[str]) -> str:
    """Return the name of the part that a command line belongs to."""
    if "infra.local.runner.worker" in words:
        return words[-1].removesuffix(".handler.handler")
    line = " ".join(words)
    known = next((name for word, name in _PARTS.items() if word in line), None)
    children = (word for word in words if word.startswith("chalicelib."))
    return known or next(children, line[:30])


def _print_table(title: str, sizes: _Parts, limit_mb: int, spent: _Parts | None = None) -> None:
    sys.stdout.write(f"{title.ljust(40)}{'MB':>8}{'ms a render' if spent else '':>14}\n")
    for name, size in sorted(sizes.items(), key=lambda part: -part[1]):
        time_ms = f"{spent.get(name, 0):.1f}" if spent else ""
        sys.stdout.write(f"  {name.ljust(38)}{size / 1e6:8.0f}{time_ms:>14}\n")
    total_ms = f"{sum(spent.values()):.1f}" if spent else ""
    sys.stdout.write(f"  {f'all, of {limit_mb} MB'.ljust(38)}{_mb(sizes):8.0f}{total_ms:>14}\n")


def _mb(sizes: _Parts) -> float:
    return sum(sizes.values()) / 1e6
