"""Functions killed at every crash point: nothing is lost, doubled, billed twice or left behind."""

import sys
import time
from collections.abc import Mapping
from concurrent.futures import Future

import pytest

from chalicelib.core.crash_points import CrashPoint
from infra.local.testing import RunningStack
from tests.builders.crash.cases import Case, cases
from tests.builders.crash.matrix import HEAD, Matrix, Row
from tests.builders.crash.things import FIRST

pytestmark = pytest.mark.integration


def test_every_crash_point_kills() -> None:
    killing = {point for case in cases() for point in case.hits}
    # What is no render is killed in test_things.
    renders = {point for point in CrashPoint if point < FIRST}

    assert killing == renders
    assert {case.point for case in cases()} == renders


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_killed(case: Case, outcomes: Mapping[str, Future[Row]]) -> None:
    assert outcomes[case.name].result().case == case


def test_nothing_is_left(
    outcomes: Mapping[str, Future[Row]],
    matrix: Matrix,
    stack: RunningStack,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [outcome.result() for outcome in outcomes.values() if outcome.exception() is None]
    told = sorted(rows, key=lambda row: row.case.point)
    with capsys.disabled():
        sys.stdout.write("\n".join(map(str, ("", HEAD, *told, ""))))
    deaths = stack.log().count("Runtime exited with error: signal: 9")

    assert len(rows) == len(outcomes)
    assert deaths == sum(row.case.kills for row in rows)
    stores = matrix.stores
    end = time.monotonic() + 20
    while stores.messages() and time.monotonic() < end:
        time.sleep(0.5)
    assert stores.messages() == {}
    # What was received once more meanwhile has changed nothing.
    assert {row.case.name: found for row in rows if (found := matrix.broken(row))} == {}
    items = list(stores.scan(stores.main))
    files = [item for item in items if item["PK"].startswith("FILE#")]
    assert sorted(stores.keys()) == sorted(f["key"] for f in files if "purged_at" not in f)
    due = [item for item in items if "due_at" in item]
    assert [item["PK"] for item in due if item["due_at"] != item.get("expires_at")] == []
