"""Many concurrent callers of one workspace's limits, in threads and in processes."""

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

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId, derived_id
from chalicelib.features.workspaces.limits.model import (
    EndedHold,
    Hold,
    Lease,
    Reservation,
    ReservationRequest,
)
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS, Plan
from tests.fakes.api_services import NOW, FixedClock

TABLE: Final = "main"
ADMISSIONS: Final = 200
THREADS: Final = 16
WORKSPACE_NUMBERS: Final = itertools.count()
# A rate that admits every request of a test at once.
UNLIMITED_RATE_PLAN: Final = replace(PLANS["scale"], rate_limit_rps=1_000)


class PlannedWorkspace(Workspace):
    """A workspace on a plan that the test defines."""

    plans: dict[str, Plan] = {}  # noqa: RUF012 -- by workspace, because a workspace is frozen

    @property
    @override
    def plan(self) -> Plan:
        return self.plans[self.id]


class ConcurrentCallers:
    """Threads that share no in-memory state, as if each were a process."""

    def __init__(
        self,
        clients: AwsClients,
        plan: Plan,
        workspace_id: WorkspaceId | None = None,
        *,
        spend_cap_cents: int = 0,
    ) -> None:
        """Create a workspace on this plan, or join an existing one."""
        self.workspace = PlannedWorkspace(
            id=workspace_id or WorkspaceId(f"ws_{next(WORKSPACE_NUMBERS)}"),
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
        table = Table(clients, TABLE)
        if workspace_id is None:
            # Refused: an earlier attempt succeeded and its answer was lost.
            limits = WorkspaceLimits(table, FixedClock())
            for write in limits.creations(self.workspace, NOW):
                with suppress(ConditionFailed):
                    table.write(write)
        self._own = threading.local()
        self._table = table

    @property
    def limits(self) -> WorkspaceLimits:
        if not hasattr(self._own, "limits"):
            self._own.limits = WorkspaceLimits(self._table, FixedClock())
        found: WorkspaceLimits = self._own.limits
        return found

    @property
    def item(self) -> dict[str, Any]:
        return self.limits.get(self.workspace.id)

    def reservation_request(self, number: int, *, sync: bool) -> ReservationRequest:
        until = NOW + dt.timedelta(minutes=7) if sync else None
        render_id = RenderId(derived_id("rnd", NOW, str(number)))
        return ReservationRequest(render_id, self.workspace, test=False, lease_until=until)

    def admit(
        self, claim: ReservationRequest
    ) -> tuple[str, ReservationRequest, Reservation | None]:
        try:
            admission = retry_transient(lambda: self.limits.admit(claim, NOW))
        except ServiceError as refusal:
            return refusal.code, claim, None
        return "admitted", claim, admission.reservation

    def settle(self, claim: ReservationRequest, taken: Reservation, *, billed: bool) -> None:
        ended = EndedHold(claim.render_id, Hold(taken.source), billed)
        retry_transient(lambda: self.limits.settle(self.workspace.id, [ended]))

    def lease(self, number: int) -> Lease:
        name = RenderId(derived_id("lease", NOW, str(number)))
        return Lease(name, self.workspace, NOW + dt.timedelta(seconds=40))

    def acquire_lease(self, lease: Lease) -> str:
        try:
            retry_transient(lambda: self.limits.acquire_lease(lease, NOW))
        except ServiceError as refusal:
            return refusal.code
        return "entered"

    def release_lease(self, lease: Lease) -> None:
        retry_transient(lambda: self.limits.release(lease.workspace.id, lease.id))

    def run_concurrently[T](self, work: Callable[[int], T], count: int = ADMISSIONS) -> list[T]:
        with ThreadPoolExecutor(THREADS) as threads:
            return list(threads.map(work, range(count)))


def retry_transient[T](call: Callable[[], T]) -> T:
    """Repeat a call that failed with a transient error, as a caller does after a 503.

    With a conflict in every fifth call, one call in about 80 000 needs it.
    """
    for _ in range(5):
        try:
            return call()
        except Exception as fault:
            if not is_transient(fault):
                raise
    return call()


@dataclass(frozen=True)
class CallerProcess:
    """Part of the callers in a process of its own, with its range of numbers."""

    workspace_id: WorkspaceId
    plan: Plan
    numbers: range
    sync: bool

    def admit(self) -> Counter[str]:
        """Admit all of them concurrently and count the answers."""
        crowd = ConcurrentCallers(AwsClients(), self.plan, self.workspace_id)
        answers = crowd.run_concurrently(
            lambda n: crowd.admit(crowd.reservation_request(self.numbers[n], sync=self.sync)),
            len(self.numbers),
        )
        return Counter(code for code, _, _ in answers)
