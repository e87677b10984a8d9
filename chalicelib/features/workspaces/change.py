"""Change a workspace's plan, packs or settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.addresses import networks
from chalicelib.core.errors import Conflict, NotFound, invalid
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.owned import FreeWorkspaces
from chalicelib.features.workspaces.plans import PLANS
from chalicelib.features.workspaces.repository import Workspaces

_MAX_PACKS: Final = 100_000
_MAX_CENTS: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be different; None stays as it is. `packs`: how many whole ones are left then."""

    plan: str | None = None
    packs: int | None = None
    spend_cap_cents: int | None = None
    regions: Sequence[str] | None = None
    allow_ips: Sequence[str] | None = None
    allow_draft_rendering: bool | None = None
    webhook_file_urls: bool | None = None


class ChangeWorkspace:
    """Changes a workspace; a new plan's allowance counts from now on."""

    def __init__(
        self, *, tables: Tables, workspaces: Workspaces, limits: Limits, free: FreeWorkspaces
    ) -> None:
        """Build from the repositories."""
        self._tables = tables
        self._workspaces = workspaces
        self._limits = limits
        self._free = free

    def __call__(self, workspace_id: WorkspaceId, changes: Changes) -> Workspace:
        """Change what is given.

        Raises `not_found`, `validation_error`, `free_workspace_limit` or `conflict`.
        """
        workspace = self._workspaces.get(workspace_id)
        if workspace is None:
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        fields = _fields(changes)
        more, prepaid = _renders(workspace, changes)
        writes = []
        if fields or prepaid is not None:
            # Also without fields: packs are sold to the plan that was read.
            fields = fields or {"plan_code": workspace.plan_code}
            writes.append(self._workspaces.change(workspace, fields))
        if changes.plan == "free" != workspace.plan_code:
            writes += self._free.claim(workspace.owner_email, workspace_id)
        if {changes.plan, changes.spend_cap_cents, prepaid} != {None}:
            writes.append(self._limits.change(workspace, more_renders=more, prepaid=prepaid))
        if not writes:
            return workspace
        try:
            self._tables.transact(writes)
        except ConditionFailed as lost:
            raise Conflict("conflict", "The plan was changed meanwhile; try again.") from lost
        changed = self._workspaces.get(workspace_id)
        assert changed is not None
        return changed


def _renders(workspace: Workspace, changes: Changes) -> tuple[int, int | None]:
    """Return what a new plan includes more, and what is left of packs from now on."""
    plan = PLANS[changes.plan or workspace.plan_code]
    more = plan.included_renders - workspace.plan.included_renders
    if changes.packs is None:
        return more, None
    if changes.packs and not plan.pack_renders:
        raise invalid("/packs", f"the plan {plan.code} has no packs; choose another plan")
    return more, changes.packs * (plan.pack_renders or 1)


def _fields(changes: Changes) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "plan_code": _one_of_plans(changes.plan),
        "spend_cap_cents": _within("/spend_cap_cents", changes.spend_cap_cents, _MAX_CENTS),
        "regions": None if changes.regions is None else list(changes.regions),
        "allow_ips": None
        if changes.allow_ips is None
        else [str(network) for network in networks("/allow_ip", changes.allow_ips)],
        "allow_draft_rendering": changes.allow_draft_rendering,
        "webhook_file_urls": changes.webhook_file_urls,
    }
    _within("/packs", changes.packs, _MAX_PACKS)
    return {name: value for name, value in fields.items() if value is not None}


def _one_of_plans(code: str | None) -> str | None:
    if code is not None and code not in PLANS:
        raise invalid("/plan", f"one of {', '.join(PLANS)} is expected")
    return code


def _within(pointer: str, number: int | None, most: int) -> int | None:
    if number is not None and not 0 <= number <= most:
        raise invalid(pointer, f"0 to {most} is expected")
    return number
