"""Repository of members, and of the free workspaces of a person.

Members are rows `MEMBER#<email address>` of `WS#<ws>`. `OWNER#<hash of the email address>` lists
the ids of free workspaces.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.ids import WorkspaceId, sha256_hex
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.model import Member, normalized_email, owner_member
from chalicelib.features.workspaces.repository import Workspaces

MAX_FREE_WORKSPACES: Final = 2
_DELETED_COUNTS_FOR: Final = dt.timedelta(days=30)


class Members(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Repository of members."""

    table: Table

    def of_workspace(self, workspace: Workspace) -> list[Member]:
        """Return the members of a workspace, its owner first, with or without a row."""
        rows = [_member_of(row) for row in self._rows(workspace.id)]
        if workspace.owner_email is not None and not any(
            row.email == workspace.owner_email for row in rows
        ):
            # Workspaces of earlier releases have no member rows.
            rows.append(owner_member(workspace))
        return sorted(rows, key=lambda row: (row.email != workspace.owner_email, row.created_at))

    def is_verified(self, workspace: Workspace, email: str) -> bool:
        """Tell whether an address is the verified one of a member."""
        row = self.table.get(f"WS#{workspace.id}", f"MEMBER#{email.lower()}")
        if row is not None:
            return _member_of(row).verified
        # Workspaces of earlier releases have no member rows.
        return email.lower() == workspace.owner_email and workspace.owner_verified

    def require(self, workspace: Workspace, email: str, field: str = "/email") -> Member:
        """Return the member of an address; raise `not_found`, or `validation_error` at a field."""
        address = normalized_email(field, email)
        for known in self.of_workspace(workspace):
            if known.email.lower() == address:
                return known
        raise NotFound("not_found", f"{address} is no member of {workspace.id}.")

    def creation(self, member: Member) -> Write:
        """Return the write that creates a member; its condition is that the row does not exist."""
        item = asdict(member) | _key(member.workspace_id, member.email)
        return Write(self.table, item=item, condition="attribute_not_exists(PK)")

    def replacement(self, member: Member) -> Write:
        """Return the write that creates or replaces a member."""
        return Write(self.table, item=asdict(member) | _key(member.workspace_id, member.email))

    def removal(self, member: Member) -> Write:
        """Return the write that deletes a member."""
        return Write(self.table, key=_key(member.workspace_id, member.email))

    def _rows(self, workspace_id: WorkspaceId) -> Iterator[Row]:
        start: Row | None = None
        while True:
            page = self.table.query(
                "PK = :pk AND begins_with(SK, :members)",
                {":pk": f"WS#{workspace_id}", ":members": "MEMBER#"},
                start=start,
            )
            yield from page.items
            start = page.last_evaluated_key
            if start is None:
                return


class FreeWorkspaceLimit(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Limit by the email address of the owner; workspaces without an owner are not limited.

    A count reads all workspaces, so only the operator uses it.
    """

    table: Table
    workspaces: Workspaces
    clock: Clock

    def claim(self, owner: str | None, workspace_id: WorkspaceId) -> list[Write]:
        """Return the write for the transaction that makes a workspace free.

        Its condition fails if the owner got another one meanwhile. Raise `free_workspace_limit`
        if the owner has as many as one person may have.
        """
        if owner is None:
            return []
        row = self.table.get(_owner_key(owner)["PK"])
        owned = self._owned_ids(owner, row)
        if len(owned) >= MAX_FREE_WORKSPACES:
            raise ServiceError(
                "free_workspace_limit",
                f"{owner} owns {MAX_FREE_WORKSPACES} free workspaces already; "
                "deleted ones count for 30 days.",
            )
        return [self._replacement(owner, row, [*owned, workspace_id])]

    def release(self, workspace: Workspace) -> None:
        """Remove a deleted workspace; raise ConditionFailed if the list has changed."""
        if workspace.owner_email is None:
            return
        row = self.table.get(_owner_key(workspace.owner_email)["PK"])
        if row is None or workspace.id not in row["ids"]:
            return
        left = [other for other in row["ids"] if other != workspace.id]
        self.table.write(self._replacement(workspace.owner_email, row, left))

    def _owned_ids(self, owner: str, row: Row | None) -> list[WorkspaceId]:
        workspaces = {workspace.id: workspace for workspace in self.workspaces.all()}
        # The list comes from an index, which lags behind; the claimed ids do not.
        for claimed in row["ids"] if row else ():
            workspace = None if claimed in workspaces else self.workspaces.get(WorkspaceId(claimed))
            if workspace is not None:
                workspaces[workspace.id] = workspace
        since = format_rfc3339(self.clock.now() - _DELETED_COUNTS_FOR)
        return [each.id for each in workspaces.values() if _is_counted(each, owner, since)]

    def _replacement(self, owner: str, row: Row | None, ids: list[WorkspaceId]) -> Write:
        return Write(
            self.table,
            key=_owner_key(owner),
            update="SET ids = :ids" if ids else None,
            condition="attribute_not_exists(PK)" if row is None else "ids = :seen",
            values=({":ids": ids} if ids else {}) | ({} if row is None else {":seen": row["ids"]}),
        )


def _key(workspace_id: WorkspaceId, email: str) -> dict[str, str]:
    return {"PK": f"WS#{workspace_id}", "SK": f"MEMBER#{email}"}


def _member_of(item: Row) -> Member:
    return Member(**{name: item[name] for name in Member.__dataclass_fields__})


def _owner_key(owner: str) -> dict[str, str]:
    return {"PK": f"OWNER#{sha256_hex(owner.casefold().encode())}", "SK": "META"}


def _is_counted(workspace: Workspace, owner: str, since: str) -> bool:
    is_owned = (workspace.owner_email or "").casefold() == owner.casefold()
    is_forgotten = workspace.deleted_at is not None and workspace.deleted_at <= since
    return is_owned and workspace.plan_code == "free" and not is_forgotten
