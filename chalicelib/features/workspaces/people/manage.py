"""Management of members: add, list, verify and remove."""

from dataclasses import replace

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound, validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.model import (
    ROLES,
    Member,
    Role,
    new_member,
    normalized_email,
)
from chalicelib.features.workspaces.people.repository import Members
from chalicelib.features.workspaces.repository import Workspaces


class ManageMembers(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Commands of the operator for the members of a workspace."""

    table: Table
    workspaces: Workspaces
    members: Members
    clock: Clock

    def add(self, workspace_id: WorkspaceId, email: str, role: Role) -> Member:
        """Add an unverified member; raise `not_found`, `validation_error` or `conflict`.

        The first member with the role owner becomes the owner of a workspace that has none.
        """
        if role not in ROLES:
            raise validation_error("/role", f"one of {', '.join(ROLES)} is expected")
        workspace = self._get_workspace(workspace_id)
        member = new_member(
            workspace, normalized_email("/email", email), role, format_rfc3339(self.clock.now())
        )
        if any(known.email == member.email for known in self.members.of_workspace(workspace)):
            raise Conflict("conflict", f"{member.email} is a member of {workspace_id} already.")
        writes = [self.members.creation(member)]
        if role == "owner" and workspace.owner_email is None:
            # `owner_verified` stays true, as it is without an owner: live renders go on.
            writes.append(self.workspaces.change(workspace, {"owner_email": member.email}))
        self._write(writes)
        return member

    def list_members(self, workspace_id: WorkspaceId) -> list[Member]:
        """Return the members of a workspace, its owner first; raise `not_found`."""
        return self.members.of_workspace(self._get_workspace(workspace_id))

    def verify(self, workspace_id: WorkspaceId, email: str) -> Member:
        """Mark an email address verified; that of the owner allows live renders."""
        workspace = self._get_workspace(workspace_id)
        verified = replace(self.members.require(workspace, email), verified=True)
        writes = [self.members.replacement(verified)]
        if verified.email == workspace.owner_email:
            writes.append(self.workspaces.change(workspace, {"owner_verified": True}))
        self._write(writes)
        return verified

    def remove(self, workspace_id: WorkspaceId, email: str) -> Member:
        """Remove a member; the oldest other owner succeeds a removed owner.

        Raise `not_found`, or `conflict` for the last owner.
        """
        workspace = self._get_workspace(workspace_id)
        removed = self.members.require(workspace, email)
        others = [row for row in self.members.of_workspace(workspace) if row != removed]
        owners = [row for row in others if row.role == "owner"]
        if removed.role == "owner" and not owners:
            raise Conflict("conflict", f"{removed.email} is the only owner; add another one first.")
        writes = [self.members.removal(removed)]
        if removed.email == workspace.owner_email:
            owner = owners[0]
            writes.append(
                self.workspaces.change(
                    workspace, {"owner_email": owner.email, "owner_verified": owner.verified}
                )
            )
        self._write(writes)
        return removed

    def _get_workspace(self, workspace_id: WorkspaceId) -> Workspace:
        workspace = self.workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        return workspace

    def _write(self, writes: list[Write]) -> None:
        try:
            self.table.transact(writes)
        except ConditionFailed as failure:
            raise Conflict("conflict", "It was changed meanwhile; look again.") from failure
