"""Status of a workspace: suspension, restoration and scheduled deletion."""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.model import Workspace, WorkspaceStatus
from chalicelib.features.workspaces.repository import Workspaces, workspace_key, workspace_of

DUE_WORKSPACE: Final = DueKind("workspace")
# A deletion can be revoked until then.
_DELETION_DELAY: Final = dt.timedelta(days=30)
_TRANSITIONS: Final[dict[WorkspaceStatus, tuple[WorkspaceStatus, ...]]] = {
    "active": ("suspended", "deletion_scheduled"),
    "suspended": ("active", "deletion_scheduled"),
    "deletion_scheduled": ("active",),
    "deleting": (),
}


class StatusTransitions:
    """Conditional writes that change the status of workspaces."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Store the table and its name."""
        self._tables = tables
        self._table = table

    def transition(
        self,
        workspace: Workspace,
        status: WorkspaceStatus,
        *,
        deleted_at: str | None = None,
        delete_at: str | None = None,
    ) -> Write:
        """Return the write that changes the status; its condition is the status that was read.

        With a `delete_at` the workspace is due then; without it is not due any more.
        """
        due = {":dpk": DUE_WORKSPACE.partition(workspace.id)} if delete_at else {}
        return Write(
            self._table,
            key=workspace_key(workspace.id),
            update="SET #status = :status, deleted_at = :deleted_at, delete_at = :delete_at"
            + (", due_at = :delete_at, DPK = :dpk" if due else " REMOVE due_at, DPK"),
            condition="#status = :was",
            names={"#status": "status"},
            values={
                ":status": status,
                ":deleted_at": deleted_at,
                ":delete_at": delete_at,
                ":was": workspace.status,
                **due,
            },
        )

    def begin_deletion(self, workspace_id: WorkspaceId, now: str) -> tuple[Workspace, str] | None:
        """Begin a deletion that is due; from then on it is irreversible.

        Return the workspace and its `due_at`, or None if there is no workspace to delete, or it is
        not due.
        """
        write = Write(
            self._table,
            key=workspace_key(workspace_id),
            update="SET #status = :deleting",
            condition="#status IN (:scheduled, :deleting) AND delete_at <= :now",
            names={"#status": "status"},
            values={":scheduled": "deletion_scheduled", ":deleting": "deleting", ":now": now},
        )
        try:
            item = self._tables.write(write)
        except ConditionFailed:
            return None
        assert item is not None
        return workspace_of(item), item["due_at"]

    def postpone_deletion(self, workspace: Workspace, seen_due_at: str, until: str) -> bool:
        """Postpone an unfinished deletion; return False if a parallel message goes on with it."""
        write = Write(
            self._table,
            key=workspace_key(workspace.id),
            update="SET due_at = :until",
            condition="due_at = :seen",
            values={":seen": seen_due_at, ":until": until},
        )
        try:
            self._tables.write(write)
        except ConditionFailed as refused:
            # This call has written it already, but its answer was lost.
            return refused.item is not None and refused.item.get("due_at") == until
        return True

    def delete_rows(self, workspace: Workspace) -> None:
        """Delete the members and events of a workspace, and last its row."""
        self._tables.delete_partition(self._table, workspace_key(workspace.id)["PK"])


class ChangeWorkspaceStatus:
    """Commands that change the status; keys and file URLs work only while it is `active`."""

    def __init__(
        self,
        *,
        tables: Tables,
        workspaces: Workspaces,
        transitions: StatusTransitions,
        clock: Clock,
    ) -> None:
        """Store the repositories."""
        self._tables = tables
        self._workspaces = workspaces
        self._transitions = transitions
        self._clock = clock

    def suspend(self, workspace_id: WorkspaceId) -> Workspace:
        """Refuse all keys and file URLs until a restore; raise `not_found` or `conflict`."""
        return self._change(workspace_id, "suspended")

    def restore(self, workspace_id: WorkspaceId) -> Workspace:
        """Revoke a suspension, or a deletion that has not begun; raise as `suspend` does."""
        return self._change(workspace_id, "active")

    def delete(self, workspace_id: WorkspaceId) -> Workspace:
        """Refuse all keys and file URLs, schedule the deletion; raise `not_found` or `conflict`."""
        now = self._clock.now()
        return self._change(
            workspace_id,
            "deletion_scheduled",
            deleted_at=format_rfc3339(now),
            delete_at=format_rfc3339(now + _DELETION_DELAY),
        )

    def _change(
        self, workspace_id: WorkspaceId, status: WorkspaceStatus, **times: str
    ) -> Workspace:
        workspace = self._workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        if status not in _TRANSITIONS[workspace.status]:
            raise Conflict("conflict", f"The workspace is {workspace.status}.")
        try:
            self._tables.transact([self._transitions.transition(workspace, status, **times)])
        except ConditionFailed as failure:
            raise Conflict("conflict", "It was changed meanwhile; look again.") from failure
        changed = self._workspaces.get(workspace_id)
        assert changed is not None
        return changed
