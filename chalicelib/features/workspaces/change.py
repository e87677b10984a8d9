"""Change of a workspace's plan, packs or settings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, RowValue, Table, Write
from chalicelib.core.errors import Conflict, NotFound, validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.ip_ranges import parse_cidr_ranges
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.repository import FreeWorkspaceLimit
from chalicelib.features.workspaces.plans import PLANS, Plan
from chalicelib.features.workspaces.repository import Workspaces

# Returns the writes that go with a change of a workspace's plan.
type FollowPlan = Callable[[Workspace, Plan], Sequence[Write]]

_MAX_PACKS: Final = 100_000
_MAX_CENTS: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class WorkspaceChanges:
    """New values; None leaves a value unchanged. `packs` is the number of whole packs left."""

    plan: str | None = None
    packs: int | None = None
    spend_cap_cents: int | None = None
    regions: Sequence[str] | None = None
    allow_ips: Sequence[str] | None = None
    allow_draft_rendering: bool | None = None
    webhook_file_urls: bool | None = None


class ChangeWorkspace(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Command that changes a workspace; the allowance of a new plan counts at once.

    What depends on the plan is changed by `follow_plan`.
    """

    table: Table
    workspaces: Workspaces
    limits: WorkspaceLimits
    free_workspaces: FreeWorkspaceLimit
    follow_plan: FollowPlan

    def __call__(self, workspace_id: WorkspaceId, changes: WorkspaceChanges) -> Workspace:
        """Change the fields that are not None; return the workspace as it is afterwards.

        Raise `not_found`, `validation_error`, `free_workspace_limit` or `conflict`.
        """
        workspace = self.workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        fields = _changed_fields(changes)
        more, prepaid = _allowance_change(workspace, changes)
        writes = []
        if fields or prepaid is not None:
            # Packs alone also write the plan, for the condition that it is unchanged.
            fields = fields or {"plan_code": workspace.plan_code}
            writes.append(self.workspaces.change(workspace, fields))
        if changes.plan == "free" != workspace.plan_code:
            writes += self.free_workspaces.claim(workspace.owner_email, workspace_id)
        if {changes.plan, changes.spend_cap_cents, prepaid} != {None}:
            writes.append(self.limits.change(workspace, more_renders=more, prepaid=prepaid))
        if changes.plan is not None:
            writes += self.follow_plan(workspace, PLANS[changes.plan])
        if not writes:
            return workspace
        try:
            self.table.transact(writes)
        except ConditionFailed as failure:
            detail = "The plan or an email connection was changed meanwhile; try again."
            raise Conflict("conflict", detail) from failure
        changed = self.workspaces.get(workspace_id)
        assert changed is not None
        return changed


def _allowance_change(workspace: Workspace, changes: WorkspaceChanges) -> tuple[int, int | None]:
    """Return the additional included renders, and the new number of prepaid ones or None."""
    plan = PLANS[changes.plan or workspace.plan_code]
    more = plan.included_renders - workspace.plan.included_renders
    if changes.packs is None:
        return more, None
    if changes.packs and not plan.pack_renders:
        raise validation_error("/packs", f"the plan {plan.code} has no packs; choose another plan")
    return more, changes.packs * (plan.pack_renders or 1)


def _changed_fields(changes: WorkspaceChanges) -> dict[str, RowValue]:
    fields: dict[str, RowValue] = {
        "plan_code": _require_plan(changes.plan),
        "spend_cap_cents": _require_range("/spend_cap_cents", changes.spend_cap_cents, _MAX_CENTS),
        "regions": None if changes.regions is None else list(changes.regions),
        "allow_ips": None
        if changes.allow_ips is None
        else [str(network) for network in parse_cidr_ranges("/allow_ip", changes.allow_ips)],
        "allow_draft_rendering": changes.allow_draft_rendering,
        "webhook_file_urls": changes.webhook_file_urls,
    }
    _require_range("/packs", changes.packs, _MAX_PACKS)
    return {name: value for name, value in fields.items() if value is not None}


def _require_plan(code: str | None) -> str | None:
    if code is not None and code not in PLANS:
        raise validation_error("/plan", f"one of {', '.join(PLANS)} is expected")
    return code


def _require_range(pointer: str, number: int | None, maximum: int) -> int | None:
    if number is not None and not 0 <= number <= maximum:
        raise validation_error(pointer, f"0 to {maximum} is expected")
    return number
