"""Benchmark: twenty clients right after the start of the stack, compared with the same once warm.

The 40-line invoice with a live key, as fast as the stack answers. The ratio is that of the renders
per second. Also checked: p99 beside that of the warm stack, and the longest answer beside the
median, once warm and right after the start.
"""

import json
import statistics
import time
from typing import Final, NamedTuple

from infra.bench.client import Crowd
from infra.bench.documents import render_request
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report

LIMIT: Final = Limit(0.8, at_least=True)
TAIL_LIMIT: Final = Limit(2.0)
FAIRNESS_LIMIT: Final = Limit(2.0)


class Size(NamedTuple):
    """Clients, and the seconds of rest between both measurements."""

    crowd: Crowd
    rest_s: float


FULL: Final = Size(Crowd(), rest_s=5.0)
SMOKE: Final = Size(Crowd(2, 0.5), rest_s=0.1)


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    payload = json.dumps(render_request()).encode()
    times = {"right after the start": size.crowd.run(parts.stack, payload)}
    time.sleep(size.rest_s)
    times["warm"] = size.crowd.run(parts.stack, payload)
    title = f"burst, {size.crowd.clients} clients"
    report.row(title, "renders/s", "p50, ms", "p99, ms", "max, ms", "max/p50")
    for name, each in times.items():
        p50, longest = statistics.median(each), max(each)
        cells = (1000 * seconds for seconds in (p50, _p99(each), longest))
        report.row(name, len(each) / size.crowd.seconds, *cells, longest / p50)
    first, warm = times.values()
    fairness = max(max(each) / statistics.median(each) for each in times.values())
    report.check("p99 beside the warm one", TAIL_LIMIT, _p99(first) / _p99(warm))
    report.check("longest beside the median", FAIRNESS_LIMIT, fairness)
    report.result(LIMIT, len(first) / len(warm))


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[-1]
