"""Reconciliation of limits while renders are used."""

import datetime as dt
from typing import TYPE_CHECKING, cast

from chalicelib.adapters.aws.table import Row
from chalicelib.core.ids import RenderId, WorkspaceId, derived_id
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.workspaces.limits.model import EndedHold, Hold, ReservationRequest
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from tests.fakes.api_services import NOW, FixedClock
from tests.fakes.limits_model import DeletedBodies, ModelRenders, SmallWorkspace
from tests.fakes.memory_table import MemoryTable

if TYPE_CHECKING:
    from chalicelib.adapters.aws.table import Table
    from chalicelib.features.renders.repository import Renders
    from chalicelib.features.renders.run.bodies import RenderBodies


def test_render_counted_while_thresholds_are_published_is_reconciled_later() -> None:
    workspace = SmallWorkspace.on_plan("small")
    table = MemoryTable()
    limits = WorkspaceLimits(cast("Table", table), FixedClock())
    for write in limits.creations(workspace, NOW):
        table.write(write)
    render_id = RenderId(derived_id("rnd", NOW, "1"))
    until = NOW + dt.timedelta(minutes=7)
    taken = limits.admit(
        ReservationRequest(render_id, workspace, test=False, lease_until=until), NOW
    ).reservation
    published: list[int] = []

    def tell(workspace_id: WorkspaceId, item: Row) -> None:
        published.append(item["used"])
        limits.settle(workspace_id, [EndedHold(render_id, Hold(taken.source), billed=True)])

    reconcile = ReconcileLimits(
        renders=cast("Renders", ModelRenders()),
        limits=limits,
        bodies=cast("RenderBodies", DeletedBodies()),
        handle_due=lambda *_: None,
        reconcile_others=lambda *_: None,
        notify_thresholds=tell,
        clock=FixedClock(),
    )

    reconcile(workspace.id)
    assert "due_at" in limits.get(workspace.id)
    reconcile(workspace.id)

    assert published == [0, 1]
    assert "due_at" not in limits.get(workspace.id)


def test_plan_changed_while_thresholds_are_published_is_reconciled_later() -> None:
    workspace = SmallWorkspace.on_plan("small")
    table, clock = MemoryTable(), FixedClock()
    limits = WorkspaceLimits(cast("Table", table), clock)
    for write in limits.creations(workspace, NOW):
        table.write(write)
    table.write(limits.change(workspace))
    published: list[int] = []

    def tell(_workspace_id: WorkspaceId, item: Row) -> None:
        published.append(item["quota_left"])
        if len(published) == 1:
            clock.advance(seconds=1)
            table.write(limits.change(workspace, more_renders=-2))

    reconcile = ReconcileLimits(
        renders=cast("Renders", ModelRenders()),
        limits=limits,
        bodies=cast("RenderBodies", DeletedBodies()),
        handle_due=lambda *_: None,
        reconcile_others=lambda *_: None,
        notify_thresholds=tell,
        clock=clock,
    )

    reconcile(workspace.id)
    assert "due_at" in limits.get(workspace.id)
    reconcile(workspace.id)

    assert published == [3, 1]
    assert "due_at" not in limits.get(workspace.id)
