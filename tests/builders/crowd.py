"""Many who ask for places of one workspace at once, from threads and from processes."""

import datetime as dt
import itertools
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import replace
from dataclasses import dataclass
from typing import Any, Final, override

from chalicelib.adapters.aws.faults import passes
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId, derived
from chalicelib.features.workspaces.limits import Claim, Place, Taken
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS, Plan
from tests.fakes.edge import NOW, FixedClock

TABLE: Final = "main"
ADMISSIONS: Final = 1_000
THREADS: Final = 16
NUMBERS: Final = itertools.count()
# Admits every request of a test at once.
NO_RATE: Final = replace(PLANS["scale"], rate_limit_rps=1_000)


class PlannedWorkspace(Workspace):
    """A workspace on a plan of the test's own."""

    plans: dict[str, Plan] = {}  # noqa: RUF012 -- by workspace, because a workspace is frozen

    @property
    @override
    def plan(self) -> Plan:
        return self.plans[self.id]


class Crowd:
    """Threads that each are a process of their own, as far as their memory goes."""

    def __init__(
        self,
        clients: Clients,
        plan: Plan,
        workspace_id: WorkspaceId | None = None,
        *,
        spend_cap_cents: int = 0,
    ) -> None:
        """Make a workspace on this plan, or join one."""
        self.workspace = PlannedWorkspace(
            id=workspace_id or WorkspaceId(f"ws_{next(NUMBERS)}"),
            name="",
            plan_code=plan.code,
            status="active",
            owner_email=None,
            owner_verified=True,
            regions=("eu",),
            allow_ips=(),
            created_at="2026-11-21T12:00:00.000Z",
            spend_cap_cents=spend_cap_cents,
        )
        PlannedWorkspace.plans[self.workspace.id] = plan
        tables = Tables(clients)
        if workspace_id is None:
            # Refused: the answer to the first of its own repeats was lost.
            with suppress(ConditionFailed):
                tables.write(Limits(tables, TABLE, FixedClock()).creation(self.workspace, NOW))
        self._own = threading.local()
        self._tables = tables

    @property
    def limits(self) -> Limits:
        if not hasattr(self._own, "limits"):
            self._own.limits = Limits(self._tables, TABLE, FixedClock())
        found: Limits = self._own.limits
        return found

    @property
    def item(self) -> dict[str, Any]:
        return self.limits.get(self.workspace.id)

    def claim(self, number: int, *, sync: bool) -> Claim:
        until = NOW + dt.timedelta(minutes=7) if sync else None
        render_id = RenderId(derived("rnd", NOW, str(number)))
        return Claim(render_id, self.workspace, test=False, lease_until=until)

    def admit(self, claim: Claim) -> tuple[str, Claim, Taken | None]:
        try:
            taken, _ = until_room(lambda: self.limits.admit(claim, NOW))
        except ServiceError as refusal:
            return refusal.code, claim, None
        return "admitted", claim, taken

    def settle(self, claim: Claim, taken: Taken, *, billed: bool) -> None:
        until_room(
            lambda: self.limits.settle(self.workspace.id, claim.render_id, taken, billed=billed)
        )

    def place(self, number: int) -> Place:
        name = RenderId(derived("plc", NOW, str(number)))
        return Place(name, self.workspace, NOW + dt.timedelta(seconds=40))

    def enter(self, place: Place) -> str:
        try:
            until_room(lambda: self.limits.enter(place, NOW))
        except ServiceError as refusal:
            return refusal.code
        return "entered"

    def leave(self, place: Place) -> None:
        until_room(lambda: self.limits.leave(place))

    def all_at_once[T](self, work: Callable[[int], T], count: int = ADMISSIONS) -> list[T]:
        with ThreadPoolExecutor(THREADS) as threads:
            return list(threads.map(work, range(count)))


def until_room[T](call: Callable[[], T]) -> T:
    """Ask again where others or faults were in the way at every try, as a caller does after a 503.

    With a conflict in every fifth call that is one of some 80 000 calls.
    """
    for _ in range(5):
        try:
            return call()
        except Exception as fault:
            if not passes(fault):
                raise
    return call()


@dataclass(frozen=True)
class Party:
    """A part of a crowd in a process of its own: which numbers it has, and where it asks."""

    workspace_id: WorkspaceId
    plan: Plan
    numbers: range
    sync: bool

    def admit(self) -> Counter[str]:
        """Ask for all of them at once and count the answers."""
        crowd = Crowd(Clients(), self.plan, self.workspace_id)
        answers = crowd.all_at_once(
            lambda n: crowd.admit(crowd.claim(self.numbers[n], sync=self.sync)), len(self.numbers)
        )
        return Counter(code for code, _, _ in answers)
