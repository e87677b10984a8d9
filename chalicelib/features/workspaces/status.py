"""Suspend, restore and schedule the deletion of a workspace."""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.deletion import Deletions
from chalicelib.features.workspaces.model import Workspace, WorkspaceStatus
from chalicelib.features.workspaces.repository import Workspaces

# Until then a deletion can be taken back.
_KEPT: Final = dt.timedelta(days=30)
_TRANSITIONS: Final[dict[WorkspaceStatus, tuple[WorkspaceStatus, ...]]] = {
    "active": ("suspended", "deletion_scheduled"),
    "suspended": ("active", "deletion_scheduled"),
    "deletion_scheduled": ("active",),
    "deleting": (),
}


class ChangeStatus:
    """Moves a workspace between its states; its keys are refused in all but `active`."""

    def __init__(
        self, *, tables: Tables, workspaces: Workspaces, deletions: Deletions, clock: Clock
    ) -> None:
        """Build from the repositories."""
        self._tables = tables
        self._workspaces = workspaces
        self._deletions = deletions
        self._clock = clock

    def suspend(self, workspace_id: WorkspaceId) -> Workspace:
        """Refuse all its keys until it is restored; raises `not_found` or `conflict`."""
        return self._move(workspace_id, "suspended")

    def restore(self, workspace_id: WorkspaceId) -> Workspace:
        """Take back a suspension, or a deletion that has not begun; raises as `suspend` does."""
        return self._move(workspace_id, "active")

    def delete(self, workspace_id: WorkspaceId) -> Workspace:
        """Refuse all its keys and schedule its deletion; raises `not_found` or `conflict`."""
        now = self._clock.now()
        return self._move(
            workspace_id,
            "deletion_scheduled",
            deleted_at=rfc3339(now),
            delete_at=rfc3339(now + _KEPT),
        )

    def _move(self, workspace_id: WorkspaceId, status: WorkspaceStatus, **times: str) -> Workspace:
        workspace = self._workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        if status not in _TRANSITIONS[workspace.status]:
            raise Conflict("conflict", f"The workspace is {workspace.status}.")
        try:
            self._tables.transact([self._deletions.move(workspace, status, **times)])
        except ConditionFailed as lost:
            raise Conflict("conflict", "It was changed meanwhile; look again.") from lost
        changed = self._workspaces.get(workspace_id)
        assert changed is not None
        return changed
