"""Rounds of a benchmark: its ways in turn, so that a busy machine slows all of them alike."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from infra.bench.report import Report

# Runs a way once, and returns its seconds.
type Way = Callable[[], float]


class Rounds(NamedTuple):
    """Numbers of rounds, and the pause after each way."""

    measured: int
    warm_up: int = 1
    pause_s: float = 0.0


class Times(NamedTuple):
    """Seconds of each way, one for each round."""

    seconds: Mapping[str, Sequence[float]]

    def median_ms(self, way: str) -> float:
        """Return the median of a way in milliseconds."""
        return 1000 * statistics.median(self.seconds[way])

    def ratio(self, way: str, reference: str) -> float:
        """Return the median of the ratios of each round, within which the load is similar."""
        pairs = zip(self.seconds[way], self.seconds[reference], strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)

    def show(self, report: Report, title: str) -> None:
        """Print a row for each way."""
        report.row(title, "p50", "p90", "fastest")
        for way, seconds in self.seconds.items():
            p90 = statistics.quantiles(seconds, n=10)[-1]
            report.row(way, self.median_ms(way), 1000 * p90, 1000 * min(seconds))


def run_in_turns(ways: Mapping[str, Way], rounds: Rounds) -> Times:
    """Run the ways in turn; the first rounds are not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-rounds.warm_up, rounds.measured):
        for name, way in ways.items():
            spent = way()
            time.sleep(rounds.pause_s)
            if number >= 0:
                seconds[name].append(spent)
    return Times(seconds)


def stopwatch(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> Way:
    """Return a way that does this work; a clock of processor time ignores who else is busy."""

    def way() -> float:
        started = clock()
        work()
        return clock() - started

    return way
