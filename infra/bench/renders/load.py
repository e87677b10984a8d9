"""Benchmark: twenty clients on the whole service, compared with bare browsers.

Renders per second with a live key, divided by the rate of bare loops over the same document. There
are as many loops as render slots, each print has a fresh context, and they run before and after in
the same run. Also checked: no error, no zombie process, memory returns to its level, p99 near p50.
"""

import json
import statistics
import time
from typing import Final, NamedTuple

from infra.bench.bare_loops import BareLoops
from infra.bench.client import Crowd
from infra.bench.documents import print_options, render_request
from infra.bench.parts import Parts
from infra.bench.processes import memory_mb, processor_s, zombie_count
from infra.bench.report import Limit, Report

LIMIT: Final = Limit(0.7, at_least=True)
TAIL_LIMIT: Final = Limit(1.5)
MEMORY_LIMIT: Final = Limit(1.2)
NO_ZOMBIES: Final = Limit(0)


class Size(NamedTuple):
    """Clients before and while it is measured; seconds of a bare loop, and of rest."""

    warm_up: Crowd
    crowd: Crowd
    bare_s: float
    rest_s: float


FULL: Final = Size(Crowd(seconds=6.0), Crowd(seconds=20.0), bare_s=10.0, rest_s=20.0)
SMOKE: Final = Size(Crowd(2, 0.1), Crowd(2, 0.5), bare_s=0.1, rest_s=0.1)


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    body = render_request()
    payload = json.dumps(body).encode()
    loops = BareLoops(body["input"]["html"], print_options(body), size.bare_s, is_fresh=True)
    before = loops.run()
    stack = parts.stack
    size.warm_up.run(stack, payload)
    time.sleep(size.rest_s)
    memory, spent = memory_mb(stack.pid), processor_s(stack.pid)
    times = size.crowd.run(stack, payload)
    spent = processor_s(stack.pid) - spent
    time.sleep(size.rest_s)
    memory_after, zombies = memory_mb(stack.pid), zombie_count(stack.pid)
    after = loops.run()
    bare, served = (before.rate + after.rate) / 2, len(times) / size.crowd.seconds
    p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[-1]
    report.row("renders/s", "", "before", "after")
    report.row("bare loops", bare, before.rate, after.rate)
    report.row(f"Platen, {size.crowd.clients} clients", served)
    report.row("p50 and p99, ms", 1000 * p50, 1000 * p99)
    bare_ms = 500 * (before.processor_s + after.processor_s)
    report.row("processor time of a render, ms", 1000 * spent / len(times), f"bare {bare_ms:.0f}")
    report.row("memory before and after, MB", memory, memory_after)
    report.check("p99 beside p50", TAIL_LIMIT, p99 / p50)
    report.check("memory after beside before", MEMORY_LIMIT, memory_after / memory)
    report.check("zombies", NO_ZOMBIES, zombies)
    report.result(LIMIT, served / bare)
