"""Change a workspace's plan or settings."""

from collections.abc import Sequence
from typing import Any

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.addresses import networks
from chalicelib.core.errors import Conflict, NotFound, invalid
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS
from chalicelib.features.workspaces.repository import Workspaces


class ChangeWorkspace:
    """Changes a workspace; a new plan's allowance counts from now on."""

    def __init__(self, *, tables: Tables, workspaces: Workspaces, limits: Limits) -> None:
        """Build from the repositories."""
        self._tables = tables
        self._workspaces = workspaces
        self._limits = limits

    def __call__(
        self,
        workspace_id: WorkspaceId,
        *,
        plan: str | None = None,
        regions: Sequence[str] | None = None,
        allow_ips: Sequence[str] | None = None,
    ) -> Workspace:
        """Change what is given; raises `not_found`, `validation_error` or `conflict`."""
        workspace = self._workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        fields = _fields(plan, regions, allow_ips)
        if not fields:
            return workspace
        writes = [self._workspaces.change(workspace, fields)]
        if plan is not None:
            more = PLANS[plan].included_renders - workspace.plan.included_renders
            writes.append(self._limits.plan_change(workspace, more))
        try:
            self._tables.transact(writes)
        except ConditionFailed as lost:
            raise Conflict("conflict", "The plan was changed meanwhile; try again.") from lost
        changed = self._workspaces.get(workspace_id)
        assert changed is not None
        return changed


def _fields(
    plan: str | None, regions: Sequence[str] | None, allow_ips: Sequence[str] | None
) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if plan is not None:
        if plan not in PLANS:
            raise invalid("/plan", f"one of {', '.join(PLANS)} is expected")
        fields["plan_code"] = plan
    if regions is not None:
        fields["regions"] = list(regions)
    if allow_ips is not None:
        fields["allow_ips"] = [str(network) for network in networks("/allow_ip", allow_ips)]
    return fields
