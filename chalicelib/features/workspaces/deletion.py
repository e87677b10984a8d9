"""How a workspace comes to its deletion: scheduled, due, begun, done."""

from contextlib import suppress

from chalicelib.adapters.aws.due import due_shard
from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.model import Workspace, WorkspaceStatus
from chalicelib.features.workspaces.repository import workspace_key, workspace_of


class Deletions:
    """The conditional writes that move the rows of workspaces between their states."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Write to this table."""
        self._tables = tables
        self._table = table

    def move(
        self,
        workspace: Workspace,
        status: WorkspaceStatus,
        *,
        deleted_at: str | None = None,
        delete_at: str | None = None,
    ) -> Write:
        """Return the write that moves a workspace out of the state that was read.

        With a `delete_at` it is due then, else no more.
        """
        due = {":dpk": due_shard(workspace.id)} if delete_at else {}
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

    def begin(self, workspace_id: WorkspaceId, now: str) -> Workspace | None:
        """Begin a deletion whose time has come, which ends its being taken back.

        None: there is none, or it is not due.
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
        return workspace_of(item)

    def go_on(self, workspace: Workspace, at: str) -> None:
        """Let a deletion that has not come to its end be due again."""
        write = Write(
            self._table,
            key=workspace_key(workspace.id),
            update="SET due_at = :at",
            condition="attribute_exists(due_at)",
            values={":at": at},
        )
        # Refused: somebody else has come to its end.
        with suppress(ConditionFailed):
            self._tables.write(write)

    def end(self, workspace: Workspace) -> None:
        """Delete a workspace's members and facts, and last its row."""
        self._tables.delete_partition(self._table, workspace_key(workspace.id)["PK"])
