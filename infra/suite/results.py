"""Results of the parts: read from the reports of pytest, kept for a second run, printed."""

import json
import sys
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

import msgspec
from rich.console import Console
from rich.table import Table

from infra.suite.parts import RESULTS_DIR, Part

_RUN_FILE: Final = RESULTS_DIR / "run.json"


class PartResult(msgspec.Struct, frozen=True):
    """Result of a part: a static check is one case; `failed` has ids of tests."""

    name: str
    passed: int
    failed: tuple[str, ...]
    seconds: float


class Run(msgspec.Struct, frozen=True):
    """All results of `make test`; `breadth`: it ran all cases."""

    breadth: bool
    results: tuple[PartResult, ...]

    def save(self) -> None:
        """Keep it for `again`."""
        _RUN_FILE.write_bytes(msgspec.json.encode(self))


def last_run() -> Run | None:
    """Return the last run, or None where none has come to its end."""
    if not _RUN_FILE.exists():
        return None
    return msgspec.json.decode(_RUN_FILE.read_bytes(), type=Run)


def forget_last_run() -> None:
    """Delete the last run, so that none is there until the next one has ended."""
    _RUN_FILE.unlink(missing_ok=True)


def read_result(part: Part, *, is_green: bool, seconds: float) -> PartResult:
    """Return the result of a part that has ended."""
    failed = () if is_green else tuple(sorted(_failed_tests(part))) or (part.path or part.name,)
    cases = _case_count(part) if part.path else 1
    return PartResult(part.name, max(0, cases - len(failed)), failed, seconds)


def print_result(result: PartResult, part: Part) -> None:
    """Print a line for a part that has ended, below its whole output where it has failed."""
    if result.failed:
        sys.stdout.write(part.log.read_text(encoding="utf-8", errors="replace"))
    state = f"{len(result.failed)} FAILED" if result.failed else "passed"
    sys.stdout.write(f"{result.name:<18} {result.passed:>5} {state:<10} {result.seconds:6.0f} s\n")
    sys.stdout.flush()


def print_table(results: Sequence[PartResult], seconds: float) -> None:
    """Print all parts, and the totals in a form that other programs read."""
    table = Table("part", box=None)
    for heading in ("cases", "failed", "seconds"):
        table.add_column(heading, justify="right")
    rows = [(each.name, each.passed, len(each.failed), each.seconds) for each in results]
    passed, failed = sum(each.passed for each in results), sum(len(each.failed) for each in results)
    for name, good, bad, took in [*rows, ("total", passed, failed, seconds)]:
        table.add_row(name, str(good + bad), str(bad or ""), f"{took:.0f}")
    Console().print(table)
    for result in results:
        for test in result.failed:
            sys.stdout.write(f"failed: {test}\n")
    sys.stdout.write(f"{passed} passed, {failed} failed\n")


def _failed_tests(part: Part) -> list[str]:
    """Return the ids that pytest keeps of failed tests, and of modules that cannot be read."""
    path = part.cache / "v" / "cache" / "lastfailed"
    if not path.exists():
        return []
    ids: dict[str, bool] = json.loads(path.read_text(encoding="utf-8"))
    return list(ids)


def _case_count(part: Part) -> int:
    """Return the number of tests in pytest's report; 0 where it could not write one."""
    if not part.report.exists():
        return 0
    root = ET.parse(part.report).getroot()  # noqa: S314 -- pytest has written it
    # A test that fails and cannot be cleaned up stands there twice.
    return len({(case.get("classname"), case.get("name")) for case in root.iter("testcase")})
