"""Benchmark: cost and rate of admissions of one workspace (decision 2).

`make bench NAME=limits`: write units, by the sizes of items, of admission and settlement with 10,
1 000 and 10 000 open renders. Then 50 callers admit renders for 20 s, before and after as many bare
conditional updates of one item; nothing may be overdrawn and nothing lost.
"""

import datetime as dt
import sys
import threading
import time
from collections.abc import Callable
from copy import replace
from typing import Final, override

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Tables, Write
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.core.ids import RandomIdGenerator, RenderId, WorkspaceId
from chalicelib.features.workspaces.limits.ended_holds import EndedHolds
from chalicelib.features.workspaces.limits.model import Hold, ReservationRequest
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS, Plan
from infra.local.running_stack import RunningStack, running_stack
from infra.template import load_template
from infra.write_units import WriteUnits

COST_LIMIT: Final = 1.1
RATE_LIMIT: Final = 0.5
OPEN_RENDERS: Final = (10, 1_000, 10_000)
CALLERS: Final = 50
SECONDS: Final = 20.0
_SAMPLES: Final = 20
_OPENERS: Final = 8
_UNCONFIRMED_S: Final = 6.0
_PLAN: Final = replace(PLANS["scale"], rate_limit_rps=1_000, included_renders=10_000_000)


class _BenchWorkspace(Workspace):
    """Workspace whose plan allows all that the benchmark does."""

    @property
    @override
    def plan(self) -> Plan:
        return _PLAN


class _SteppingClock:
    """Clock of whole seconds, so that the rate's window is in use, as it is near a plan's rate."""

    def now(self) -> dt.datetime:
        """Return the present second."""
        return SystemClock().now().replace(microsecond=0)


class _Bench:
    """One workspace in the main table of a running stack."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self._table = stack.resources["MainTable"]["Ref"]
        self._ids = RandomIdGenerator()
        self._clock = _SteppingClock()
        now = SystemClock().now()
        self.workspace = _BenchWorkspace(
            WorkspaceId(self._ids.new("ws", now)),
            "bench",
            "scale",
            "active",
            None,
            owner_verified=True,
            regions=("eu",),
            allow_ips=(),
            created_at=format_rfc3339(now),
        )
        self.tables = Tables(self.clients())
        self.remembering = self.limits()
        for write in self.limits().creations(self.workspace, now):
            self.tables.write(write)

    def clients(self) -> AwsClients:
        """Return new clients of the stack."""
        clients = AwsClients()
        clients.dynamodb = self._stack.client("dynamodb")
        return clients

    def limits(self, tables: Tables | None = None) -> WorkspaceLimits:
        """Return limits without any memory, as a new process has them."""
        return WorkspaceLimits(tables or self.tables, self._table, self._clock)

    def admit(self, limits: WorkspaceLimits) -> RenderId:
        """Admit an async render whose row is written at once."""
        now = self._clock.now()
        render_id = RenderId(self._ids.new("rnd", now))
        request = ReservationRequest(render_id, self.workspace, test=False, lease_until=None)
        admission = limits.admit(request, now)
        # As all of these have rows, which CreateRender would read.
        limits.confirm(self.workspace.id, [render_id, *admission.unconfirmed])
        return render_id

    def units_per_render(self) -> float:
        """Return the write units of admission and settlement of a render, on average."""
        # Entries that ended processes have left are confirmed by others after a few seconds.
        time.sleep(_UNCONFIRMED_S)
        for _ in range(2):
            self.admit(self.remembering)
        clients = self.clients()
        units = WriteUnits(self._stack.client("dynamodb"), load_template())
        units.count(clients.dynamodb.meta.events)
        tables = Tables(clients)
        limits, ended = self.limits(tables), EndedHolds(tables, self._table)
        for _ in range(_SAMPLES):
            render_id = self.admit(limits)
            source = limits.get(self.workspace.id)["cycle_end"]
            tables.transact(ended.increments(self.workspace.id, render_id, [(Hold(source), True)]))
            limits.fold(self.workspace.id, source)
        return units.counts.total() / _SAMPLES

    def open(self, count: int) -> None:
        """Admit renders that stay open."""
        share = count // _OPENERS + 1

        def admit_some() -> None:
            limits = self.limits()
            for _ in range(share):
                self.admit(limits)

        _run_in_threads(_OPENERS, admit_some)

    def admissions_per_second(self) -> float:
        """Return the admissions per second of all callers; none may be overdrawn or lost."""
        before = self.limits().get(self.workspace.id)["quota_left"]
        processes = threading.local()

        def admit() -> None:
            if not hasattr(processes, "limits"):
                processes.limits = self.limits()
            self.admit(processes.limits)

        count = _count_calls(admit)
        after = self.limits().get(self.workspace.id)["quota_left"]
        assert before - after == count, (before, after, count)
        return count / SECONDS

    def updates_per_second(self) -> float:
        """Return the bare conditional updates of one item per second, of as many callers."""
        key = {"PK": f"BENCH#{self._ids.new('bench', SystemClock().now())}", "SK": "META"}
        self.tables.write(Write(self._table, item=key | {"n": 0}))
        update = Write(
            self._table,
            key=key,
            update="SET n = n + :one",
            condition="n < :many",
            values={":one": 1, ":many": 10_000_000},
        )
        return _count_calls(lambda: self.tables.write(update)) / SECONDS


def main() -> int:
    """Print the tables and the worse ratio; 1 when a limit is not met."""
    with running_stack() as stack:
        bench = _Bench(stack)
        costs, opened = {}, 0
        for count in OPEN_RENDERS:
            bench.open(count - opened)
            opened = count
            costs[count] = bench.units_per_render()
            sys.stdout.write(f"{count:>7} open renders: {costs[count]:.2f} write units a render\n")
        bare = [bench.updates_per_second()]
        admissions = bench.admissions_per_second()
        bare.append(bench.updates_per_second())
    cost_ratio = costs[OPEN_RENDERS[-1]] / costs[OPEN_RENDERS[0]]
    rate_ratio = admissions / (sum(bare) / len(bare))
    sys.stdout.write(f"{CALLERS} callers: {admissions:.0f} admissions/s, none lost or overdrawn\n")
    sys.stdout.write(f"bare conditional updates: {bare[0]:.0f}/s before, {bare[1]:.0f}/s after\n")
    sys.stdout.write(
        f"admissions / bare updates: {rate_ratio:.2f} (limit {RATE_LIMIT}, at least)\n"
    )
    sys.stdout.write(f"limits: {cost_ratio:.2f} (limit {COST_LIMIT})\n")
    return int(cost_ratio > COST_LIMIT or rate_ratio < RATE_LIMIT)


def _count_calls(call: Callable[[], object]) -> int:
    """Return how many calls all callers make in the time."""
    end = time.monotonic() + SECONDS
    counts: list[int] = []

    def work() -> None:
        done = 0
        while time.monotonic() < end:
            call()
            done += 1
        counts.append(done)

    _run_in_threads(CALLERS, work)
    assert len(counts) == CALLERS, "a caller failed"
    return sum(counts)


def _run_in_threads(count: int, work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
