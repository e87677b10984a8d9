"""Changes of the status of a workspace: suspension, restoration and scheduled deletion."""

import datetime as dt
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.model import Workspace, WorkspaceStatus
from chalicelib.features.workspaces.repository import StatusTransitions, Workspaces

# A deletion can be revoked until then.
_DELETION_DELAY: Final = dt.timedelta(days=30)
_TRANSITIONS: Final[dict[WorkspaceStatus, tuple[WorkspaceStatus, ...]]] = {
    "active": ("suspended", "deletion_scheduled"),
    "suspended": ("active", "deletion_scheduled"),
    "deletion_scheduled": ("active",),
    "deleting": (),
}


class ChangeWorkspaceStatus(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Commands that change the status; keys and file URLs work only while it is `active`."""

    table: Table
    workspaces: Workspaces
    transitions: StatusTransitions
    clock: Clock

    def suspend(self, workspace_id: WorkspaceId) -> Workspace:
        """Refuse all keys and file URLs until a restore; raise `not_found` or `conflict`."""
        return self._change(workspace_id, "suspended")

    def restore(self, workspace_id: WorkspaceId) -> Workspace:
        """Revoke a suspension, or a deletion that has not begun; raise as `suspend` does."""
        return self._change(workspace_id, "active")

    def delete(self, workspace_id: WorkspaceId) -> Workspace:
        """Refuse all keys and file URLs, schedule the deletion; raise `not_found` or `conflict`."""
        now = self.clock.now()
        return self._change(
            workspace_id,
            "deletion_scheduled",
            deleted_at=format_rfc3339(now),
            delete_at=format_rfc3339(now + _DELETION_DELAY),
        )

    def _change(
        self, workspace_id: WorkspaceId, status: WorkspaceStatus, **times: str
    ) -> Workspace:
        workspace = self.workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        if status not in _TRANSITIONS[workspace.status]:
            raise Conflict("conflict", f"The workspace is {workspace.status}.")
        try:
            self.table.transact([self.transitions.transition(workspace, status, **times)])
        except ConditionFailed as failure:
            raise Conflict("conflict", "It was changed meanwhile; look again.") from failure
        changed = self.workspaces.get(workspace_id)
        assert changed is not None
        return changed
