"""Reconciliation of limits while renders are used."""

from typing import TYPE_CHECKING, cast

from chalicelib.adapters.aws.table import Item
from chalicelib.core.ids import RenderId, WorkspaceId, derived
from chalicelib.features.upkeep.limits import ReconcileLimits
from chalicelib.features.workspaces.limits import Claim
from chalicelib.features.workspaces.limits_repository import Limits
from tests.fakes.edge import NOW, FixedClock
from tests.fakes.expressions import MemoryTable
from tests.fakes.limits_model import MadeRenders, RemovedBodies, SmallWorkspace

if TYPE_CHECKING:
    from chalicelib.adapters.aws.table import Tables
    from chalicelib.features.renders.bodies import Bodies
    from chalicelib.features.renders.repository import Renders


def test_render_that_is_used_while_thresholds_are_told_is_looked_at_later() -> None:
    workspace = SmallWorkspace.on("small")
    table = MemoryTable()
    limits = Limits(cast("Tables", table), "main", FixedClock())
    table.write(limits.creation(workspace, NOW))
    render_id = RenderId(derived("rnd", NOW, "1"))
    taken, _ = limits.admit(Claim(render_id, workspace, test=False, lease_until=None), NOW)
    told: list[int] = []

    def tell(workspace_id: WorkspaceId, item: Item) -> None:
        told.append(item["used"])
        limits.settle(workspace_id, render_id, taken, billed=True)

    reconcile = ReconcileLimits(
        renders=cast("Renders", MadeRenders()),
        limits=limits,
        bodies=cast("Bodies", RemovedBodies()),
        thresholds=tell,
        clock=FixedClock(),
    )

    reconcile(workspace.id)
    assert "due_at" in limits.get(workspace.id)
    reconcile(workspace.id)

    assert told == [0, 1]
    assert "due_at" not in limits.get(workspace.id)


def test_plan_that_is_changed_while_thresholds_are_told_is_looked_at_later() -> None:
    workspace = SmallWorkspace.on("small")
    table, clock = MemoryTable(), FixedClock()
    limits = Limits(cast("Tables", table), "main", clock)
    table.write(limits.creation(workspace, NOW))
    table.write(limits.change(workspace))
    told: list[int] = []

    def tell(_workspace_id: WorkspaceId, item: Item) -> None:
        told.append(item["quota_left"])
        if len(told) == 1:
            clock.forward(seconds=1)
            table.write(limits.change(workspace, more_renders=-2))

    reconcile = ReconcileLimits(
        renders=cast("Renders", MadeRenders()),
        limits=limits,
        bodies=cast("Bodies", RemovedBodies()),
        thresholds=tell,
        clock=clock,
    )

    reconcile(workspace.id)
    assert "due_at" in limits.get(workspace.id)
    reconcile(workspace.id)

    assert told == [3, 1]
    assert "due_at" not in limits.get(workspace.id)
