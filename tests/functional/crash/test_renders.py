"""Functions killed over renders: nothing is lost, doubled, billed twice or left behind."""

from random import Random

import pytest

from chalicelib.core.crash_points import CrashPoint
from chalicelib.engine.remote.calls import MAX_INLINE_RESULT_BYTES
from tests.builders.crash.case_run import CaseRun
from tests.builders.crash.cases import CrashCase, crash_cases
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.crash.invariants import leftovers
from tests.builders.crash.tool_cases import tool_cases
from tests.builders.crash.workspace import FIRST_POINT

# Larger than what the engine may answer.
LARGE_FILE = b"%PDF-1.7" + Random(1).randbytes(MAX_INLINE_RESULT_BYTES)  # noqa: S311 -- noise
CASES = [case for case in (*crash_cases(), *tool_cases()) if not case.is_late]


def test_every_crash_point_of_renders_is_covered() -> None:
    killing = {point for case in crash_cases() for point in case.hits}
    # test_resources.py kills over the other resources.
    renders = {point for point in CrashPoint if point < FIRST_POINT}

    assert killing == renders
    assert {case.point for case in crash_cases()} == renders


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_render_ends_as_expected_after_its_crashes(stack: ServiceStack, case: CrashCase) -> None:
    if case.large_result:
        stack.service.engine.content = LARGE_FILE

    run = CaseRun(stack, case)

    run()

    assert stack.service.functions.deaths == case.kill_count
    assert leftovers(stack.stores, run.workspace) == []
