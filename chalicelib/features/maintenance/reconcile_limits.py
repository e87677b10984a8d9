"""Reconciliation of a workspace's limits with its renders: settles what a crash has left."""

import datetime as dt
import logging
from collections.abc import Callable
from itertools import batched
from typing import Final

from chalicelib.adapters.aws.messages import PoisonMessage
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, Item
from chalicelib.adapters.json_logs import bind, log_context
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import RenderId, WorkspaceId, id_created_at
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies, body_key
from chalicelib.features.workspaces.limits.admission import NO_HOLD
from chalicelib.features.workspaces.limits.model import Reservation
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits

log = logging.getLogger(__name__)

# A render that was admitted but has no row by then gets none: its function had 29 s.
_CREATED_WITHIN: Final = dt.timedelta(minutes=2)


class ReconcileLimits:
    """Settlement of renders that are final or never got a row; idempotent (decision 2)."""

    def __init__(
        self,
        *,
        renders: Renders,
        limits: WorkspaceLimits,
        bodies: RenderBodies,
        notify_thresholds: Callable[[WorkspaceId, Item], None],
        clock: Clock,
    ) -> None:
        """Store the parts; a render without a row may have left a request body.

        `notify_thresholds` gets the limits item after each reconciliation.
        """
        self._renders = renders
        self._limits = limits
        self._bodies = bodies
        self._notify_thresholds = notify_thresholds
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId) -> None:
        """Reconcile one workspace; its item stays due while it has holds or leases.

        Raise PoisonMessage if there is no such workspace.
        """
        bind(workspace=workspace_id)
        item = self._limits.find(workspace_id)
        if item is None:
            reason = f"there are no limits of {workspace_id}"
            raise PoisonMessage(reason)
        open_ids = [RenderId(name) for name in sorted({*item["holds"], *item["leases"]})]
        created_before = self._clock.now() - _CREATED_WITHIN
        for ids in batched(open_ids, BATCH_GET_LIMIT, strict=False):
            renders = {render.id: render for render in self._renders.get_many(workspace_id, ids)}
            for render_id in ids:
                render = renders.get(render_id)
                is_over = render.is_final if render else id_created_at(render_id) < created_before
                if not is_over:
                    continue
                if render is None:
                    self._bodies.delete(body_key(workspace_id, render_id))
                reservation = Reservation(
                    item["holds"].get(render_id, NO_HOLD), render_id in item["leases"]
                )
                billed = render is not None and render.billed
                self._limits.settle(workspace_id, render_id, reservation, billed=billed)
                crash_if_armed(CrashPoint.MAINTENANCE_RECONCILED)
                with log_context(
                    request_id=render.request_id if render else None, render=render_id
                ):
                    log.warning("limits settled late", extra={"billed": billed})
        item = self._limits.get(workspace_id)
        self._notify_thresholds(workspace_id, item)
        self._limits.clear_due(workspace_id, item)
