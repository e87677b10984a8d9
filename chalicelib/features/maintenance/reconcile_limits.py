"""Reconciliation of a workspace's limits with its renders: settles the remains of crashes."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from itertools import batched
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.adapters.aws.table import Row
from chalicelib.adapters.json_logs import bind, log_context
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import RenderId, WorkspaceId, id_created_at
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies, body_key
from chalicelib.features.workspaces.limits.model import NOTHING, PREPAID, EndedHold, Hold
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

log = logging.getLogger(__name__)

# A render that was admitted but has no row by then gets none: its function had 29 s.
_CREATED_WITHIN: Final = dt.timedelta(minutes=2)
# Holders that are settled in one update: its expressions stay far below 4 KB.
_STEP: Final = 25
# Of renders, and of work without one. The others are those of `reserve`.
_OWN_PREFIXES: Final = ("rnd_", "lease_")


class ReconcileLimits(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Settlement of renders that are final or never got a row; idempotent (decision 2).

    A render without a row may have left a request body. Sync renders have no due time, so
    `handle_due` gets each open one. `reconcile_others` gets the holders that have rows
    of other features. `notify_thresholds` gets the limits item after each reconciliation.
    """

    renders: Renders
    limits: WorkspaceLimits
    bodies: RenderBodies
    handle_due: Callable[[WorkspaceId, RenderId], None]
    reconcile_others: Callable[[WorkspaceId, Sequence[str]], None]
    notify_thresholds: Callable[[WorkspaceId, Row], None]
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId) -> None:
        """Reconcile one workspace; its item stays due while it has holds or leases.

        Raise PoisonMessageError if there is no such workspace.
        """
        bind(workspace=workspace_id)
        item = self.limits.find(workspace_id)
        if item is None:
            reason = f"there are no limits of {workspace_id}"
            raise PoisonMessageError(reason)
        holder_ids = sorted({*item["holds"], *item["leases"]})
        own = [RenderId(name) for name in holder_ids if name.startswith(_OWN_PREFIXES)]
        for ids in batched(own, _STEP, strict=False):
            self._reconcile(workspace_id, ids, item)
        others = [name for name in holder_ids if not name.startswith(_OWN_PREFIXES)]
        self.reconcile_others(workspace_id, others)
        # The relay folds after each end; if that failed to the last, these totals wait.
        for source in (item["cycle_end"], PREPAID):
            self.limits.fold(workspace_id, source)
        item = self.limits.get(workspace_id)
        self.notify_thresholds(workspace_id, item)
        self.limits.clear_due(workspace_id, item)
        crash_if_armed(CrashPoint.LIMITS_CLEARED)

    def _reconcile(self, workspace_id: WorkspaceId, ids: Sequence[RenderId], item: Row) -> None:
        """Settle holds that have ended or never began; remove the entries of rows that hold."""
        renders = {render.id: render for render in self.renders.get_many(workspace_id, ids)}
        created_before = self.clock.now() - _CREATED_WITHIN
        ended = []
        for render_id in ids:
            render = renders.get(render_id)
            if render is not None and render.reservation.is_settled_by_relay:
                self.limits.release(workspace_id, render_id, keeps_lease=not render.is_final)
                crash_if_armed(CrashPoint.LIMITS_RELEASED)
                continue
            if render is not None and not render.is_final:
                self.handle_due(workspace_id, render_id)
                continue
            if render is None and id_created_at(render_id) >= created_before:
                continue
            if render is None:
                self.bodies.delete(body_key(workspace_id, render_id))
            hold = Hold.from_text(item["holds"].get(render_id, NOTHING))
            billed = render is not None and render.billed
            ended.append(EndedHold(render_id, hold, billed))
            with log_context(request_id=render.request_id if render else None, render=render_id):
                log.warning("limits settled late", extra={"billed": billed})
        if ended:
            self.limits.settle(workspace_id, ended)
        crash_if_armed(CrashPoint.MAINTENANCE_RECONCILED)
