"""Benchmark: the effect of one workspace on a neighbour's renders and webhooks.

A neighbour renders one page, one after another, while another workspace of the same plan sends
eight requests a second: previews of an email whose subject has nested loops, then async renders
with a pattern that takes for ever. Then renders of the other workspace end, ten and then one in two
seconds, each of which sixty endpoints hear that never answer; measured is the time from the end of
the neighbour's renders to the arrival of their webhooks. Each result is the p99 as a ratio to that
of the neighbour alone, which is measured before and, unless retries go on, after.
"""

import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from infra.bench.client import BenchClient
from infra.bench.neighbours import attacks
from infra.bench.neighbours.webhooks import Webhooks, slow_events
from infra.bench.neighbours.workspaces import as_workspace
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report

LIMIT: Final = Limit(3.0)
_PAUSE_S: Final = 0.2
_PAGE: Final = {"input": {"type": "html", "html": "<h1>One page</h1><p>of the neighbour"}}


class Size(NamedTuple):
    """Measured renders or webhooks of the neighbour in each of three phases, and endpoints."""

    measured: int
    slow_endpoints: int
    warm_up: int


FULL: Final = Size(measured=100, slow_endpoints=60, warm_up=10)
SMOKE: Final = Size(measured=2, slow_endpoints=2, warm_up=1)


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratios."""
    stack, receiver = parts.stack, parts.receiver
    neighbour, other = as_workspace(stack, "Neighbour"), as_workspace(stack, "Other")
    report.row("neighbour, ms", "p50", "p99", "longest")
    ratios = []
    with BenchClient(neighbour) as client:
        payload = json.dumps(_PAGE).encode()

        def render() -> float:
            started = time.perf_counter()
            client.render(payload)
            return time.perf_counter() - started

        for name, request in {
            "previews with nested loops": attacks.preview(other),
            "schema checks with a pattern": attacks.schema_check(other),
        }.items():
            phases = _Phases(report, name)
            phases.alone(lambda: _each(render, size))
            with attacks.sent_again_and_again(other, request) as statuses:
                phases.beside(lambda: _each(render, size))
            report.row("  answers to the other", note=f"{dict(statuses)}")
            phases.alone(lambda: _each(render, size))
            ratios.append(phases.ratio())
    webhooks = Webhooks(neighbour, receiver)
    phases = _Phases(report, "endpoints that never answer")
    webhooks.lags(size.warm_up)
    phases.alone(lambda: webhooks.lags(2 * size.measured))
    with slow_events(other, receiver, size.slow_endpoints):
        phases.beside(lambda: webhooks.lags(size.measured))
    ratios.append(phases.ratio())
    report.result(LIMIT, *ratios)


def _each(render: Callable[[], float], size: Size) -> list[float]:
    seconds = []
    for number in range(-size.warm_up, size.measured):
        spent = render()
        time.sleep(_PAUSE_S)
        if number >= 0:
            seconds.append(spent)
    return seconds


class _Phases:
    """Phases of one comparison: the neighbour alone, and beside the other workspace."""

    def __init__(self, report: Report, name: str) -> None:
        self._report, self._name = report, name
        self._alone: list[float] = []
        self._beside: list[float] = []

    def alone(self, run: Callable[[], Sequence[float]]) -> None:
        self._alone += self._show("alone", run())

    def beside(self, run: Callable[[], Sequence[float]]) -> None:
        self._beside += self._show(self._name, run())

    def ratio(self) -> float:
        return _p99(self._beside) / _p99(self._alone)

    def _show(self, name: str, seconds: Sequence[float]) -> Sequence[float]:
        p50, p99 = statistics.median(seconds), _p99(seconds)
        self._report.row(name, 1000 * p50, 1000 * p99, 1000 * max(seconds))
        return seconds


def _p99(seconds: Sequence[float]) -> float:
    return statistics.quantiles(seconds, n=100, method="inclusive")[-1]
