"""Creation of a workspace."""

from collections.abc import Sequence

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, validation_error
from chalicelib.core.ids import IdGenerator, WorkspaceId
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.model import normalized_email, owner_member
from chalicelib.features.workspaces.people.repository import FreeWorkspaceLimit, Members
from chalicelib.features.workspaces.plans import PLANS
from chalicelib.features.workspaces.repository import Workspaces

_MAX_NAME_CHARS = 120


class CreateWorkspace(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Command that creates a workspace and its limits in one transaction."""

    table: Table
    workspaces: Workspaces
    limits: WorkspaceLimits
    members: Members
    free_workspaces: FreeWorkspaceLimit
    clock: Clock
    ids: IdGenerator

    def __call__(
        self,
        name: str,
        *,
        plan: str = "free",
        owner: str | None = None,
        regions: Sequence[str],
    ) -> Workspace:
        """Create a workspace; the email address of an `owner` is unverified at first.

        Raise `validation_error`, `free_workspace_limit` or `conflict`.
        """
        if not 1 <= len(name) <= _MAX_NAME_CHARS:
            raise validation_error("/name", f"1 to {_MAX_NAME_CHARS} characters are expected")
        if plan not in PLANS:
            raise validation_error("/plan", f"one of {', '.join(PLANS)} is expected")
        if owner is not None:
            owner = normalized_email("/owner", owner)
        now = self.clock.now()
        workspace = Workspace(
            id=WorkspaceId(self.ids.new("ws", now)),
            name=name,
            plan_code=plan,
            status="active",
            owner_email=owner,
            owner_verified=owner is None,
            regions=tuple(regions),
            allow_ips=(),
            created_at=format_rfc3339(now),
        )
        writes = [self.workspaces.creation(workspace), *self.limits.creations(workspace, now)]
        if owner is not None:
            writes.append(self.members.creation(owner_member(workspace)))
        if plan == "free":
            writes += self.free_workspaces.claim(owner, workspace.id)
        try:
            self.table.transact(writes)
        except ConditionFailed as failure:
            reason = "Another workspace of this owner was made at the same moment; try again."
            raise Conflict("conflict", reason) from failure
        return workspace
