"""Benchmark: twenty clients right after the start of the stack, compared with the same once warm.

`make bench NAME=burst`: the 40-line invoice with a live key, as fast as the stack answers. The
ratio is that of the renders per second. Also checked: p99 beside that of the warm stack, and the
longest answer beside the median, once warm and right after the start.
"""

import json
import statistics
import sys
import time
from typing import Final

from infra.bench.documents import render_request
from infra.bench.load import CLIENTS, run_clients
from infra.local.running_stack import running_stack

LIMIT: Final = 0.8
TAIL_LIMIT: Final = 2.0
FAIRNESS_LIMIT: Final = 2.0
SECONDS: Final = 15.0
_SETTLE_SECONDS: Final = 5.0


def main() -> int:
    """Print the table and the ratio; 1 when anything is over its limit."""
    payload = json.dumps(render_request()).encode()
    times = {}
    with running_stack() as stack:
        times["right after the start"] = run_clients(stack, payload, SECONDS)
        time.sleep(_SETTLE_SECONDS)
        times["warm"] = run_clients(stack, payload, SECONDS)
    _print_row(f"burst, {CLIENTS} clients", "renders/s", "p50, ms", "p99, ms", "max, ms", "max/p50")
    for name, each in times.items():
        p50, longest = statistics.median(each), max(each)
        cells = (f"{1000 * seconds:.0f}" for seconds in (p50, _p99(each), longest))
        _print_row(name, f"{len(each) / SECONDS:.1f}", *cells, f"{longest / p50:.2f}")
    first, warm = times.values()
    tail = _p99(first) / _p99(warm)
    fairness = max(max(each) / statistics.median(each) for each in times.values())
    ratio = len(first) / len(warm)
    sys.stdout.write(f"p99 beside the warm one: {tail:.2f} (limit {TAIL_LIMIT})\n")
    sys.stdout.write(f"longest beside the median: {fairness:.2f} (limit {FAIRNESS_LIMIT})\n")
    sys.stdout.write(f"burst: {ratio:.2f} (limit {LIMIT}, at least)\n")
    return int(ratio < LIMIT or tail > TAIL_LIMIT or fairness > FAIRNESS_LIMIT)


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[-1]


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(24) + "".join(cell.rjust(12) for cell in rest) + "\n")
