"""Workspace, and what its status allows."""

from typing import Literal, NamedTuple

from chalicelib.core.errors import Forbidden
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.plans import PLANS, Plan

type Mode = Literal["test", "live"]
type WorkspaceStatus = Literal["active", "suspended", "deletion_scheduled", "deleting"]


class Workspace(NamedTuple):
    """Tenant of the service."""

    id: WorkspaceId
    name: str
    plan_code: str
    status: WorkspaceStatus
    owner_email: str | None
    owner_verified: bool
    regions: tuple[str, ...]
    allow_ips: tuple[str, ...]
    created_at: str
    spend_cap_cents: int = 0
    allow_draft_rendering: bool = False
    webhook_file_urls: bool = True
    # The storage destination of live renders that name none.
    default_destination_id: str | None = None
    # Set when the deletion is requested; the stored data is deleted at `delete_at`.
    deleted_at: str | None = None
    delete_at: str | None = None

    @property
    def plan(self) -> Plan:
        """Return the plan of the workspace."""
        return PLANS[self.plan_code]


def require_active(workspace: Workspace) -> None:
    """Raise `workspace_suspended` or `workspace_deletion_scheduled` unless it is active."""
    if workspace.status == "suspended":
        raise Forbidden("workspace_suspended", "This workspace is suspended.")
    if workspace.status in {"deletion_scheduled", "deleting"}:
        detail = "This workspace is scheduled for deletion."
        raise Forbidden("workspace_deletion_scheduled", detail)
