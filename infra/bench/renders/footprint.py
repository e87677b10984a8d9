"""Benchmark: the whole local stack's memory, at rest after ten renders and under twenty clients.

Proportional set sizes of all processes, by part. Under load it is the highest of samples, beside
the processor time of each part for one render.
"""

import json
import threading
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

from infra.bench.client import Crowd
from infra.bench.documents import render_request
from infra.bench.parts import Parts
from infra.bench.processes import Usage, usage_by_part
from infra.bench.report import Limit, Report

LIMIT: Final = Limit(1.0)
AT_REST_MB: Final = 800
UNDER_LOAD_MB: Final = 1200
RENDERS: Final = 10
_SAMPLE_S: Final = 1.0

type _Usages = Mapping[str, Usage]


class Size(NamedTuple):
    """Clients, and the seconds of rest before the memory at rest is measured."""

    crowd: Crowd
    rest_s: float


FULL: Final = Size(Crowd(), rest_s=10.0)
SMOKE: Final = Size(Crowd(2, 0.5), rest_s=0.1)


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print both tables and the ratios."""
    payload = json.dumps(render_request()).encode()
    stack = parts.stack
    client = parts.client()
    for _ in range(RENDERS):
        client.render(payload)
    time.sleep(size.rest_s)
    at_rest = usage_by_part(stack.pid)
    samples = _Samples(stack.pid)
    times = size.crowd.run(stack, payload)
    under_load, after = samples.stop()
    _show(report, f"at rest after {RENDERS} renders", at_rest)
    spent_ms = {
        part: 1000 * (usage.processor_s - at_rest.get(part, Usage(0, 0)).processor_s) / len(times)
        for part, usage in after.items()
    }
    _show(report, f"under {size.crowd.clients} clients", under_load, spent_ms)
    report.result(LIMIT, _mb(at_rest) / AT_REST_MB, _mb(under_load) / UNDER_LOAD_MB)


class _Samples:
    """Sampler of a stack's usage, in a thread, until it is stopped."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._stopping = threading.Event()
        self._highest: _Usages = {}
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()

    def stop(self) -> tuple[_Usages, _Usages]:
        """Return the sample with the most memory, and the usage now."""
        self._stopping.set()
        self._thread.join()
        last = usage_by_part(self._pid)
        return max(self._highest, last, key=_mb), last

    def _sample(self) -> None:
        while not self._stopping.wait(_SAMPLE_S):
            self._highest = max(self._highest, usage_by_part(self._pid), key=_mb)


def _show(
    report: Report, title: str, usages: _Usages, spent_ms: Mapping[str, float] | None = None
) -> None:
    spent_ms = spent_ms or {}
    report.row(title, "MB", *(["ms a render"] if spent_ms else []))
    for part, usage in sorted(usages.items(), key=lambda each: -each[1].memory):
        report.row(
            f"  {part}", usage.memory / 1e6, *([spent_ms.get(part, 0.0)] if spent_ms else [])
        )
    report.row("  all", _mb(usages), *([sum(spent_ms.values())] if spent_ms else []))


def _mb(usages: _Usages) -> float:
    return sum(usage.memory for usage in usages.values()) / 1e6
