"""Benchmark: the start of the stack until its first answer, and its first render.

`make bench NAME=start`: stacks are started in turn. The time ends with the first answer of
`GET /healthz`. The first render, which follows, is compared with a warm one of the same stack.
"""

import json
import statistics
import sys
import time
import urllib.request
from typing import Final

from infra.bench.documents import render_request
from infra.bench.latency import BenchClient
from infra.local.running_stack import running_stack

LIMIT: Final = 2.0
START_LIMIT_S: Final = 5.0
STARTS: Final = 3
_WARM_ROUNDS: Final = 20
_PAUSE_S: Final = 0.25


def main() -> int:
    """Print the table and the ratio; 1 when anything is over its limit."""
    payload = json.dumps(render_request()).encode()
    rows = []
    _print_row("start", "answer, s", "first, ms", "warm, ms", "ratio")
    for number in range(STARTS):
        rows.append(_measure(payload))
        started, first, warm = rows[-1]
        cells = (f"{1000 * first:.0f}", f"{1000 * warm:.0f}", f"{first / warm:.2f}")
        _print_row(f"start {number + 1}", f"{started:.2f}", *cells)
    started = statistics.median(row[0] for row in rows)
    ratio = statistics.median(first / warm for _, first, warm in rows)
    sys.stdout.write(f"start, seconds: {started:.2f} (limit {START_LIMIT_S})\n")
    sys.stdout.write(f"start: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT or started > START_LIMIT_S)


def _measure(payload: bytes) -> tuple[float, float, float]:
    """Return the seconds until the first answer, of the first render, and of a warm one."""
    begun = time.perf_counter()
    with running_stack() as stack:
        health = f"{stack.files_host}/healthz"
        with urllib.request.urlopen(health) as response:  # noqa: S310 -- loopback
            response.read()
        started = time.perf_counter() - begun
        client = BenchClient(stack)
        first = _render_s(client, payload)
        warm = []
        for _ in range(_WARM_ROUNDS):
            time.sleep(_PAUSE_S)
            warm.append(_render_s(client, payload))
        return started, first, statistics.median(warm)


def _render_s(client: BenchClient, payload: bytes) -> float:
    sent = time.perf_counter()
    assert client.render(payload).startswith(b"%PDF-")
    return time.perf_counter() - sent


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(12) + "".join(cell.rjust(12) for cell in rest) + "\n")
