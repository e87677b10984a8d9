"""Benchmark: the start of the stack until its first answer, and its first render.

Stacks are started in turn. The time ends with the first answer of `GET /healthz`. The first render,
which follows, is compared with a warm one of the same stack.
"""

import json
import statistics
import urllib.request
from functools import partial
from typing import Final, NamedTuple

from infra.bench.client import BenchClient
from infra.bench.documents import render_request
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch

LIMIT: Final = Limit(2.0)
START_LIMIT: Final = Limit(5.0, unit=" s")


class Size(NamedTuple):
    """Starts, and the warm renders after each."""

    starts: int
    warm: Rounds


FULL: Final = Size(3, Rounds(20, warm_up=0, pause_s=0.25))
SMOKE: Final = Size(1, Rounds(1, warm_up=0))
_WARM: Final = "warm"


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    payload = json.dumps(render_request()).encode()
    report.row("start", "answer, s", "first, ms", "warm, ms", "ratio")
    starts, ratios = [], []
    for number in range(size.starts):
        # The last stack is left to the parts, which end it.
        if number:
            parts.stop()
        starts.append(stopwatch(lambda: _first_answer(parts))())
        render = stopwatch(partial(_render, parts.client(), payload))
        first = render()
        warm = run_in_turns({_WARM: render}, size.warm).median_ms(_WARM) / 1000
        ratios.append(first / warm)
        report.row(f"start {number + 1}", starts[-1], 1000 * first, 1000 * warm, ratios[-1])
    report.check("start, seconds", START_LIMIT, statistics.median(starts))
    report.result(LIMIT, statistics.median(ratios))


def _first_answer(parts: Parts) -> None:
    with urllib.request.urlopen(f"{parts.stack.files_host}/healthz") as response:  # noqa: S310
        response.read()


def _render(client: BenchClient, payload: bytes) -> None:
    assert client.render(payload).startswith(b"%PDF-")
