"""Processes killed over renders: the platform repeats what the functions of one process cannot.

tests/functional/crash kills at every point; here is one kill of each function, and the deaths of
processes that answer late.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from infra.local.running_stack import RunningStack
from tests.builders.crash.case_run import CaseRun
from tests.builders.crash.cases import CrashCase, crash_cases
from tests.builders.crash.invariants import leftovers
from tests.builders.crash.running_crash_stack import RunningCrashStack
from tests.builders.crash.tool_cases import tool_cases
from tests.builders.pages.web_site import Site, SitePage

pytestmark = pytest.mark.integration

LATE = [case for case in crash_cases() if case.is_late]
OCCUPYING = [case for case in LATE if case.caller_action == "is late"]
WITHOUT_ROOM = [case for case in LATE if case not in OCCUPYING]
KILLED = [
    case
    for case in (*crash_cases(), *tool_cases())
    if case.name
    in {
        "api_created-sync-2-comes_back",
        "api_enqueued-async-1",
        # The caller of the function invokes it again.
        "render_stored-sync-2",
        # The queue gives the message to another process.
        "render_claimed-async-2",
        "engine_made-sync-2",
        "engine_made-async-1-split",
        "relay_published-sync-1",
        "tick_claimed-sync-1",
        "maintenance_resent-async-1-leaves",
        "dead_letters_recorded-async-8-render_lost",
    }
]
# A page that is ready once the site says so.
PAGE = """<title>Late</title><body><script>
setInterval(async () => {
  if ((await fetch("/ready")).ok) document.body.dataset.isReady = "yes";
}, 500);
</script>"""
IS_READY = {"wait": {"expression": "document.body.dataset.isReady", "timeout_ms": 60_000}}


class Deaths:
    """Processes of a stack that were killed since."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self._before = self._count()

    def missing(self, cases: Sequence[CrashCase]) -> int:
        """Return how many of the planned ones are missing."""
        return sum(case.kill_count for case in cases) + self._before - self._count()

    def _count(self) -> int:
        return self._stack.log().count("Runtime exited with error: signal: 9")


@pytest.fixture(scope="module")
def deaths(stack: RunningStack) -> Deaths:
    return Deaths(stack)


@pytest.fixture(scope="module")
def runs(
    stack: RunningStack, points: Path, site: Site, deaths: Deaths
) -> Mapping[str, Future[CaseRun]]:
    """Run the late cases all at once, since they occupy all functions, then the others."""
    crash = RunningCrashStack(stack, points)

    def run(case: CrashCase, **document: Any) -> CaseRun:
        made = CaseRun(RunningCrashStack(stack, points), case, **document)
        made()
        return made

    found = {}
    # No late case: it has the engine that is there for neighbours.
    neighbour = "neighbour"
    with (
        ThreadPoolExecutor(len(LATE)) as pool,
        crash.create_tenant(neighbour, "scale") as occupying,
    ):
        # The first pages wait a minute for the others' ends, and not for starts of processes.
        with crash.create_tenant("warm-up", "scale") as tenant:
            list(pool.map(lambda _: tenant.client.render(), LATE))
        slow: dict[str, dict[str, Any]] = {
            name: {"input": {"type": "url", "url": site.url(f"/{name}")}, "output": IS_READY}
            for name in (neighbour, *(case.name for case in OCCUPYING))
        }
        site.pages |= {f"/{name}": SitePage(PAGE) for name in slow}
        occupied = occupying.client.render(mode="async", **slow[neighbour]).json()["id"]
        for case in OCCUPYING:
            found[case.name] = pool.submit(run, case, **slow[case.name])
        crash.until(lambda: site.pages.keys() - {*site.paths}, ticks=False)
        for case in WITHOUT_ROOM:
            found[case.name] = pool.submit(run, case)
        crash.until(lambda: deaths.missing(LATE), ticks=False)
        site.pages["/ready"] = SitePage("yes")
        assert occupying.wait_until_final(occupied)["status"] == "succeeded"
    with ThreadPoolExecutor(4) as pool:
        found |= {case.name: pool.submit(run, case) for case in KILLED}
    return found


@pytest.mark.parametrize("case", [*LATE, *KILLED], ids=lambda case: case.name)
def test_render_ends_as_expected_after_its_crashes(
    case: CrashCase, runs: Mapping[str, Future[CaseRun]]
) -> None:
    assert runs[case.name].result().workspace


def test_each_planned_process_was_killed_and_nothing_is_left(
    runs: Mapping[str, Future[CaseRun]], deaths: Deaths, stack: RunningStack, points: Path
) -> None:
    crash = RunningCrashStack(stack, points)

    # The stack reports a death a moment after it.
    crash.until(lambda: deaths.missing([*LATE, *KILLED]), ticks=False)
    for future in runs.values():
        run = future.result()
        crash.until(partial(leftovers, crash.stores, run.workspace), ticks=False)
        # Messages that were received again meanwhile have changed nothing.
        assert run.broken_invariants() == []
