"""`platen workspace`: commands for workspaces."""

from typing import Any

import click

from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.change import WorkspaceChanges
from chalicelib.features.workspaces.limits.model import allowance
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS
from chalicelib.features.workspaces.repository import Workspaces
from infra.operator.connection import default_plan, operator
from infra.operator.output import print_answer

_PLAN = click.Choice(list(PLANS))
_ON_OFF = click.Choice(["on", "off"])


@click.group()
def workspace() -> None:
    """Manage workspaces and their plans."""


@workspace.command(epilog="Example: platen workspace create Acme --plan growth")
@click.argument("name")
@click.option("--plan", type=_PLAN, help="Default: free; of an own server self_hosted.")
@click.option("--owner", metavar="EMAIL", help="The owner's address, unverified at first.")
@click.option("--region", multiple=True, help="Where it may render; default: this service's.")
@print_answer
def create(
    name: str, plan: str | None, owner: str | None, region: tuple[str, ...]
) -> dict[str, Any]:
    """Make a workspace."""
    service = operator()
    regions = region or (service.region,)
    plan = plan or default_plan()
    return _workspace_row(service.create_workspace(name, plan=plan, owner=owner, regions=regions))


@workspace.command("list", epilog="Example: platen workspace list")
@print_answer
def list_all() -> dict[str, Any]:
    """List all workspaces, newest first."""
    rows = [
        {"id": row.id, "name": row.name, "plan": row.plan_code, "status": row.status}
        for row in operator().workspaces.all()
    ]
    return {"data": rows}


@workspace.command(epilog="Example: platen workspace show ws_01J8")
@click.argument("workspace_id", metavar="WS")
@print_answer
def show(workspace_id: str) -> dict[str, Any]:
    """Show a workspace and what it has used of its allowance."""
    service = operator()
    existing = existing_workspace(service.workspaces, workspace_id)
    limits = service.limits.get(existing.id)
    current = allowance(existing, limits, service.clock.now())
    return _workspace_row(existing) | {
        "renders_used": current.used,
        "renders_left": current.included_left,
        "prepaid_left": current.prepaid_left,
        "topups": limits["topups"],
        "renders_unfinished": max(0, limits["included"] - limits["used"] - limits["quota_left"]),
        "cycle_start": current.cycle_start,
        "cycle_end": current.cycle_end,
    }


@workspace.command("set", epilog="Example: platen workspace set ws_01J8 --plan pro --packs 2")
@click.argument("workspace_id", metavar="WS")
@click.option("--plan", type=_PLAN)
@click.option("--packs", metavar="N", type=int, help="Packs of 1 000 renders left from now on.")
@click.option(
    "--spend-cap-cents",
    metavar="N",
    type=int,
    help="What plan and automatic top-ups of a cycle may come to; 0: no top-ups.",
)
@click.option("--regions", metavar="CODE", multiple=True)
@click.option("--allow-ip", metavar="CIDR", multiple=True, help="Ranges its keys may come from.")
@click.option("--allow-any-ip", is_flag=True, help="Take the address allowlist away.")
@click.option("--allow-draft-rendering", type=_ON_OFF, help="Live keys may render drafts.")
@click.option("--webhook-file-urls", type=_ON_OFF, help="Webhooks carry the files' addresses.")
@print_answer
def change(workspace_id: str, **options: Any) -> dict[str, Any]:
    """Change a workspace's plan, packs or settings."""
    if all(value in (None, (), False) for value in options.values()):
        raise click.UsageError("say what to change")
    if options["allow_ip"] and options["allow_any_ip"]:
        raise click.UsageError("--allow-ip and --allow-any-ip exclude each other")
    changes = WorkspaceChanges(
        plan=options["plan"],
        packs=options["packs"],
        spend_cap_cents=options["spend_cap_cents"],
        regions=options["regions"] or None,
        allow_ips=() if options["allow_any_ip"] else options["allow_ip"] or None,
        allow_draft_rendering=_is_on(options["allow_draft_rendering"]),
        webhook_file_urls=_is_on(options["webhook_file_urls"]),
    )
    return _workspace_row(operator().change_workspace(WorkspaceId(workspace_id), changes))


@workspace.command(epilog="Example: platen workspace suspend ws_01J8")
@click.argument("workspace_id", metavar="WS")
@print_answer
def suspend(workspace_id: str) -> dict[str, Any]:
    """Refuse all keys and file links of a workspace until it is restored."""
    return _workspace_row(operator().change_status.suspend(WorkspaceId(workspace_id)))


@workspace.command(epilog="Example: platen workspace restore ws_01J8")
@click.argument("workspace_id", metavar="WS")
@print_answer
def restore(workspace_id: str) -> dict[str, Any]:
    """Take a suspension or a scheduled deletion back."""
    return _workspace_row(operator().change_status.restore(WorkspaceId(workspace_id)))


@workspace.command(epilog="Example: platen workspace delete ws_01J8")
@click.argument("workspace_id", metavar="WS")
@print_answer
def delete(workspace_id: str) -> dict[str, Any]:
    """Refuse all keys and file links of a workspace; schedule its deletion in 30 days."""
    return _workspace_row(operator().change_status.delete(WorkspaceId(workspace_id)))


def existing_workspace(workspaces: Workspaces, workspace_id: str) -> Workspace:
    """Return a workspace; raises `not_found`."""
    existing = workspaces.get(WorkspaceId(workspace_id))
    if existing is None:
        raise NotFound("not_found", f"There is no workspace {workspace_id}.")
    return existing


def _workspace_row(row: Workspace) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "plan": row.plan_code,
        "status": row.status,
        "owner": row.owner_email,
        "owner_verified": row.owner_verified,
        "regions": list(row.regions),
        "allow_ips": list(row.allow_ips),
        "spend_cap_cents": row.spend_cap_cents,
        "allow_draft_rendering": row.allow_draft_rendering,
        "webhook_file_urls": row.webhook_file_urls,
        "created_at": row.created_at,
        "delete_at": row.delete_at,
    }


def _is_on(text: str | None) -> bool | None:
    return None if text is None else text == "on"
