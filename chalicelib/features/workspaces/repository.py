"""Repository of workspaces, and of their status: `WS#<id>` in the main table."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.model import Workspace, WorkspaceStatus

_ALL_WORKSPACES: Final = "WORKSPACES"
DUE_WORKSPACE: Final = DueKind("workspace")


class Workspaces(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Repository of workspaces."""

    table: Table

    def get(self, workspace_id: WorkspaceId) -> Workspace | None:
        """Return one workspace, or None."""
        item = self.table.get(f"WS#{workspace_id}")
        return workspace_of(item) if item else None

    def all(self) -> list[Workspace]:
        """Return every workspace, newest first; only for the operator: it reads all of them."""
        return [workspace_of(item) for item in items_of_list(self.table, _ALL_WORKSPACES)]

    def creation(self, workspace: Workspace) -> Write:
        """Return the write that creates a workspace."""
        item = workspace._asdict() | {
            "PK": f"WS#{workspace.id}",
            "SK": "META",
            "LPK": _ALL_WORKSPACES,
            "LSK": workspace.id,
            "regions": list(workspace.regions),
            "allow_ips": list(workspace.allow_ips),
        }
        return Write(self.table, item=item, condition="attribute_not_exists(PK)")

    def change(self, workspace: Workspace, fields: Mapping[str, RowValue]) -> Write:
        """Return the write that changes fields; its condition is that the plan is unchanged."""
        names = {f"#{name}": name for name in fields} | {"#plan": "plan_code"}
        values = {f":{name}": value for name, value in fields.items()}
        return Write(
            self.table,
            key=workspace_key(workspace.id),
            update="SET " + ", ".join(f"#{name} = :{name}" for name in fields),
            condition="attribute_exists(PK) AND #plan = :was",
            names=names,
            values=values | {":was": workspace.plan_code},
        )


def items_of_list(table: Table, partition: str) -> Iterator[Row]:
    """Yield the items of a partition of the `lists` index, newest first."""
    start: Row | None = None
    while True:
        page = table.query(
            "LPK = :list",
            {":list": partition},
            index="lists",
            newest_first=True,
            start=start,
        )
        yield from table.get_many([(row["PK"], row["SK"]) for row in page.items])
        start = page.last_evaluated_key
        if start is None:
            return


def workspace_key(workspace_id: WorkspaceId) -> dict[str, str]:
    """Return the key of a workspace's row."""
    return {"PK": f"WS#{workspace_id}", "SK": "META"}


def workspace_of(item: Row) -> Workspace:
    """Parse a workspace row."""
    return Workspace(
        id=WorkspaceId(item["id"]),
        name=item["name"],
        plan_code=item["plan_code"],
        status=item["status"],
        owner_email=item["owner_email"],
        owner_verified=item["owner_verified"],
        regions=tuple(item["regions"]),
        allow_ips=tuple(item["allow_ips"]),
        created_at=item["created_at"],
        # Workspaces of earlier releases lack these attributes.
        spend_cap_cents=item.get("spend_cap_cents", 0),
        allow_draft_rendering=item.get("allow_draft_rendering", False),
        webhook_file_urls=item.get("webhook_file_urls", True),
        default_destination_id=item.get("default_destination_id"),
        deleted_at=item.get("deleted_at"),
        delete_at=item.get("delete_at"),
    )


class StatusTransitions(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Conditional writes that change the status of workspaces."""

    table: Table

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
            self.table,
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
            self.table,
            key=workspace_key(workspace_id),
            update="SET #status = :deleting",
            condition="#status IN (:scheduled, :deleting) AND delete_at <= :now",
            names={"#status": "status"},
            values={":scheduled": "deletion_scheduled", ":deleting": "deleting", ":now": now},
        )
        try:
            item = self.table.write(write)
        except ConditionFailed:
            return None
        assert item is not None
        return workspace_of(item), item["due_at"]

    def postpone_deletion(self, workspace: Workspace, seen_due_at: str, until: str) -> bool:
        """Postpone an unfinished deletion; return False if a parallel message goes on with it."""
        write = Write(
            self.table,
            key=workspace_key(workspace.id),
            update="SET due_at = :until",
            condition="due_at = :seen",
            values={":seen": seen_due_at, ":until": until},
        )
        try:
            self.table.write(write)
        except ConditionFailed as refused:
            # This call has written it already, but its answer was lost.
            return refused.item is not None and refused.item.get("due_at") == until
        return True

    def delete_rows(self, workspace: Workspace) -> None:
        """Delete the members and events of a workspace, and last its row."""
        self.table.delete_partition(workspace_key(workspace.id)["PK"])
