"""`python -m infra.suite check | test [--breadth] | again`: run the suite, or repeat failures."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Final

import click

from infra.suite.parts import Part, all_parts, check_parts
from infra.suite.results import (
    PartResult,
    Run,
    forget_last_run,
    last_run,
    print_result,
    print_table,
)
from infra.suite.run_parts import repeat_failed, run_parts

# Tests wait for browsers and queues, so one more process than cores keeps these busy.
_SLOTS: Final = (os.cpu_count() or 1) + 1


@click.group()
def main() -> None:
    """Run all checks and tests."""


@main.command()
def check() -> None:
    """Run the static checks, the unit tests and the architecture tests."""
    _exit(_run(check_parts()))


@main.command()
@click.option("--breadth", is_flag=True, help="Run all cases, and what is deployed.")
def test(*, breadth: bool) -> None:
    """Run everything once, to its end."""
    forget_last_run()
    results = _run(all_parts(breadth=breadth))
    Run(breadth, tuple(results)).save()
    _exit(results)


@main.command()
def again() -> None:
    """Run the failures of the last `test` once more, alone; list as flaky those that pass then."""
    started = time.monotonic()
    run = last_run()
    if run is None:
        message = "no run has come to its end"
        raise click.ClickException(message)
    parts = {part.name: part for part in all_parts(breadth=run.breadth)}
    results = list(run.results)
    flaky: list[str] = []
    for number, first in enumerate(run.results):
        if first.failed:
            results[number] = second = repeat_failed(parts[first.name], first)
            print_result(second, parts[first.name])
            flaky += sorted(set(first.failed) - set(second.failed))
    for test_id in flaky:
        sys.stdout.write(f"flaky: {test_id}\n")
    print_table(results, time.monotonic() - started)
    _exit(results)


def _run(parts: Sequence[Part]) -> list[PartResult]:
    started = time.monotonic()
    by_name = {part.name: part for part in parts}
    results: list[PartResult] = []
    for result in run_parts(parts, slots=_SLOTS):
        print_result(result, by_name[result.name])
        results.append(result)
    results.sort(key=lambda result: list(by_name).index(result.name))
    print_table(results, time.monotonic() - started)
    return results


def _exit(results: Sequence[PartResult]) -> None:
    sys.exit(any(result.failed for result in results))


if __name__ == "__main__":
    main()
