"""Functions killed at every crash point: nothing is lost, doubled, billed twice or left behind."""

import sys
import time
from collections.abc import Mapping
from concurrent.futures import Future

import pytest

from chalicelib.core.crash_points import CrashPoint
from infra.local.running_stack import RunningStack
from tests.builders.crash.cases import CrashCase, crash_cases
from tests.builders.crash.matrix import TABLE_HEADING, CaseResult, CrashMatrix
from tests.builders.crash.tool_cases import tool_cases
from tests.builders.crash.workspace import FIRST_POINT
from tests.builders.stack.stores import PAST

pytestmark = pytest.mark.integration


def test_every_crash_point_of_renders_is_covered() -> None:
    killing = {point for case in crash_cases() for point in case.hits}
    # test_resources.py kills over the other resources.
    renders = {point for point in CrashPoint if point < FIRST_POINT}

    assert killing == renders
    assert {case.point for case in crash_cases()} == renders


@pytest.mark.parametrize("case", [*crash_cases(), *tool_cases()], ids=lambda case: case.name)
def test_render_ends_as_expected_after_its_crashes(
    case: CrashCase, outcomes: Mapping[str, Future[CaseResult]]
) -> None:
    assert outcomes[case.name].result().case == case


def test_no_messages_files_or_due_items_are_left(
    outcomes: Mapping[str, Future[CaseResult]],
    matrix: CrashMatrix,
    stack: RunningStack,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [outcome.result() for outcome in outcomes.values() if outcome.exception() is None]
    results = sorted(rows, key=lambda row: row.case.point)
    with capsys.disabled():
        sys.stdout.write("\n".join(map(str, ("", TABLE_HEADING, *results, ""))))
    planned = sum(row.case.kill_count for row in rows)

    assert len(rows) == len(outcomes)
    end = time.monotonic() + 20
    # The stack reports a death a moment after it.
    while (deaths := stack.log().count("Runtime exited with error: signal: 9")) < planned:
        if time.monotonic() > end:
            break
        time.sleep(0.5)
    assert deaths == planned
    stores = matrix.stores
    end = time.monotonic() + 20
    while stores.message_counts() and time.monotonic() < end:
        time.sleep(0.5)
    assert stores.message_counts() == {}
    # Messages that were received again meanwhile have changed nothing.
    assert {row.case.name: found for row in rows if (found := matrix.broken_invariants(row))} == {}
    items = list(stores.scan(stores.main_table))
    files = [item for item in items if item["PK"].startswith("FILE#")]
    kept = [f for f in files if "purged_at" not in f and f["expires_at"] != PAST]
    assert sorted(stores.keys()) == sorted(f["key"] for f in kept)
    due = [item for item in items if "due_at" in item]
    assert [item["PK"] for item in due if item["due_at"] != item.get("expires_at")] == []
