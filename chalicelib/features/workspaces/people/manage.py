"""Add, list, remove and verify the members of a workspace."""

from dataclasses import replace

from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound, validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.members import (
    ROLES,
    Member,
    Members,
    Role,
    new_member,
    normalized_email,
)
from chalicelib.features.workspaces.repository import Workspaces


class ManageMembers:
    """What the operator does with a workspace's members."""

    def __init__(
        self, *, tables: Tables, workspaces: Workspaces, members: Members, clock: Clock
    ) -> None:
        """Build from the repositories."""
        self._tables = tables
        self._workspaces = workspaces
        self._members = members
        self._clock = clock

    def add(self, workspace_id: WorkspaceId, email: str, role: Role) -> Member:
        """Add a member, unverified at first; raises `not_found`, `validation_error`, `conflict`.

        The first owner of a workspace that names none becomes its owner.
        """
        if role not in ROLES:
            raise validation_error("/role", f"one of {', '.join(ROLES)} is expected")
        workspace = self._get_workspace(workspace_id)
        made = new_member(
            workspace, normalized_email("/email", email), role, format_rfc3339(self._clock.now())
        )
        if any(known.email == made.email for known in self._members.of_workspace(workspace)):
            raise Conflict("conflict", f"{made.email} is a member of {workspace_id} already.")
        writes = [self._members.creation(made)]
        if role == "owner" and workspace.owner_email is None:
            # It renders as nobody's, and goes on to; the address is verified by `verify` alone.
            writes.append(self._workspaces.change(workspace, {"owner_email": made.email}))
        self._write(writes)
        return made

    def list_members(self, workspace_id: WorkspaceId) -> list[Member]:
        """Return a workspace's members, its owner first; raises `not_found`."""
        return self._members.of_workspace(self._get_workspace(workspace_id))

    def verify(self, workspace_id: WorkspaceId, email: str) -> Member:
        """Take an address for verified; with the owner's, live renders are allowed."""
        workspace = self._get_workspace(workspace_id)
        verified = replace(self._get_member(workspace, email), verified=True)
        writes = [self._members.replacement(verified)]
        if verified.email == workspace.owner_email:
            writes.append(self._workspaces.change(workspace, {"owner_verified": True}))
        self._write(writes)
        return verified

    def remove(self, workspace_id: WorkspaceId, email: str) -> Member:
        """Remove a member; the owner's place goes to the oldest other owner.

        Raises `not_found`, or `conflict` for the last owner.
        """
        workspace = self._get_workspace(workspace_id)
        removed = self._get_member(workspace, email)
        others = [row for row in self._members.of_workspace(workspace) if row != removed]
        owners = [row for row in others if row.role == "owner"]
        if removed.role == "owner" and not owners:
            raise Conflict("conflict", f"{removed.email} is the only owner; add another one first.")
        writes = [self._members.removal(removed)]
        if removed.email == workspace.owner_email:
            owner = {"owner_email": owners[0].email, "owner_verified": owners[0].verified}
            writes.append(self._workspaces.change(workspace, owner))
        self._write(writes)
        return removed

    def _get_workspace(self, workspace_id: WorkspaceId) -> Workspace:
        workspace = self._workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        return workspace

    def _get_member(self, workspace: Workspace, email: str) -> Member:
        wanted = normalized_email("/email", email)
        for known in self._members.of_workspace(workspace):
            if known.email.lower() == wanted:
                return known
        raise NotFound("not_found", f"{wanted} is no member of {workspace.id}.")

    def _write(self, writes: list[Write]) -> None:
        try:
            self._tables.transact(writes)
        except ConditionFailed as lost:
            raise Conflict("conflict", "It was changed meanwhile; look again.") from lost
