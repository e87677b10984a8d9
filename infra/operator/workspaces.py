"""`platen workspace`."""

from typing import Any

import click

from chalicelib.bootstrap.operator import Operator
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.limits import allowance
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS
from infra.operator.connection import operator
from infra.operator.output import answers

_PLAN = click.Choice(list(PLANS))


@click.group()
def workspace() -> None:
    """Workspaces and their plans."""


@workspace.command()
@click.argument("name")
@click.option("--plan", type=_PLAN, default="free", show_default=True)
@click.option("--owner", metavar="EMAIL", help="The owner's address, unverified at first.")
@click.option("--region", multiple=True, help="Where it may render; default: this service's.")
@answers
def create(name: str, plan: str, owner: str | None, region: tuple[str, ...]) -> dict[str, Any]:
    """Make a workspace."""
    service = operator()
    regions = region or (service.region,)
    return _shown(service.create_workspace(name, plan=plan, owner=owner, regions=regions))


@workspace.command("list")
@answers
def list_all() -> dict[str, Any]:
    """List all workspaces, newest first."""
    rows = [
        {"id": row.id, "name": row.name, "plan": row.plan_code, "status": row.status}
        for row in operator().workspaces.all()
    ]
    return {"data": rows}


@workspace.command()
@click.argument("workspace_id", metavar="WS")
@answers
def show(workspace_id: str) -> dict[str, Any]:
    """Show a workspace and what it has used of its allowance."""
    service = operator()
    found = existing(service, workspace_id)
    limits = service.limits.get(found.id)
    now = allowance(found, limits, service.clock.now())
    return _shown(found) | {
        "renders_used": now.used,
        "renders_left": now.left,
        "renders_unfinished": len(limits["holds"]),
        "cycle_start": now.cycle_start,
        "cycle_end": now.cycle_end,
    }


@workspace.command("set")
@click.argument("workspace_id", metavar="WS")
@click.option("--plan", type=_PLAN)
@click.option("--regions", metavar="CODE", multiple=True)
@click.option("--allow-ip", metavar="CIDR", multiple=True, help="Ranges its keys may come from.")
@click.option("--allow-any-ip", is_flag=True, help="Take the address allowlist away.")
@answers
def change(
    workspace_id: str,
    plan: str | None,
    regions: tuple[str, ...],
    allow_ip: tuple[str, ...],
    *,
    allow_any_ip: bool,
) -> dict[str, Any]:
    """Change a workspace's plan or settings."""
    if not (plan or regions or allow_ip or allow_any_ip):
        raise click.UsageError("say what to change")
    if allow_ip and allow_any_ip:
        raise click.UsageError("--allow-ip and --allow-any-ip exclude each other")
    return _shown(
        operator().change_workspace(
            WorkspaceId(workspace_id),
            plan=plan,
            regions=regions or None,
            allow_ips=() if allow_any_ip else allow_ip or None,
        )
    )


def existing(service: Operator, workspace_id: str) -> Workspace:
    """Return a workspace; raises `not_found`."""
    found = service.workspaces.get(WorkspaceId(workspace_id))
    if found is None:
        raise NotFound("not_found", f"There is no workspace {workspace_id}.")
    return found


def _shown(found: Workspace) -> dict[str, Any]:
    return {
        "id": found.id,
        "name": found.name,
        "plan": found.plan_code,
        "status": found.status,
        "owner": found.owner_email,
        "owner_verified": found.owner_verified,
        "regions": list(found.regions),
        "allow_ips": list(found.allow_ips),
        "created_at": found.created_at,
    }
