"""Limits that the threads of a process share."""

import datetime as dt
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, override

from chalicelib.adapters.aws.table import Row, Throttled, Write
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, derived_id
from chalicelib.features.workspaces.limits.model import EndedHold, Hold, ReservationRequest
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from tests.builders.stack.concurrent_callers import UNLIMITED_RATE_PLAN, PlannedWorkspace
from tests.builders.threads import all_at_once
from tests.fakes.api_services import NOW, FixedClock
from tests.fakes.limits_model import SmallWorkspace
from tests.fakes.memory_table import MemoryTable


class LockedTable(MemoryTable):
    """Table whose calls are one step each, as threads see them."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()

    @override
    def get(self, pk: str, sk: str = "META") -> Row | None:
        with self.lock:
            return super().get(pk, sk)

    @override
    def write(self, write: Write) -> Row | None:
        with self.lock:
            return super().write(write)


def insisting[Result](call: Callable[[], Result]) -> Result:
    """Repeat a call for as long as other threads are first."""
    while True:
        try:
            return call()
        except Throttled:
            pass
        except ServiceError as refusal:
            if refusal.code != "rate_limited":
                raise


def test_threads_that_share_the_limits_admit_and_settle_each_render_once() -> None:
    workspace = PlannedWorkspace(*SmallWorkspace.on_plan("small"))
    PlannedWorkspace.plans[workspace.id] = UNLIMITED_RATE_PLAN
    table: Any = LockedTable()
    limits = WorkspaceLimits(table, FixedClock())
    for write in limits.creations(workspace, NOW):
        table.write(write)

    def run(thread: int) -> None:
        for number in range(8):
            is_sync = number % 2 == 0
            render_id = RenderId(derived_id("rnd", NOW, f"{thread}", f"{number}"))
            until = NOW + dt.timedelta(minutes=7) if is_sync else None
            claim = ReservationRequest(render_id, workspace, test=False, lease_until=until)
            taken = insisting(lambda: limits.admit(claim, NOW)).reservation  # noqa: B023
            if is_sync:
                ended = [EndedHold(render_id, Hold(taken.source), billed=True)]
                insisting(lambda: limits.settle(workspace.id, ended))  # noqa: B023
            else:
                limits.confirm(workspace.id, [render_id])

    all_at_once([partial(run, thread) for thread in range(8)])

    item = limits.get(workspace.id)
    assert (item["used"], item["leases"]) == (32, {})
