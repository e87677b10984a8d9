"""`platen member`: commands for the members of a workspace."""

from dataclasses import asdict
from typing import Any, Final

import click

from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.people.model import ROLES, Member
from infra.operator.connection import operator
from infra.operator.output import print_answer

_WORKSPACE: Final = click.option("--workspace", metavar="WS", required=True)
_EMAIL: Final = click.argument("email")


@click.group()
def member() -> None:
    """Manage the members of a workspace."""


@member.command(
    epilog="Example: platen member add --workspace ws_01J8 ada@example.com --role admin"
)
@_WORKSPACE
@_EMAIL
@click.option("--role", type=click.Choice(ROLES), default="developer", show_default=True)
@print_answer
def add(workspace: str, email: str, role: Any) -> dict[str, Any]:
    """Add a member; the address is unverified at first."""
    return _member_row(operator().manage_members.add(WorkspaceId(workspace), email, role))


@member.command("list", epilog="Example: platen member list --workspace ws_01J8")
@_WORKSPACE
@print_answer
def list_all(workspace: str) -> dict[str, Any]:
    """List the members of a workspace, its owner first."""
    members = operator().manage_members.list_members(WorkspaceId(workspace))
    return {"data": [_member_row(row) for row in members]}


@member.command(epilog="Example: platen member remove --workspace ws_01J8 ada@example.com")
@_WORKSPACE
@_EMAIL
@print_answer
def remove(workspace: str, email: str) -> dict[str, Any]:
    """Remove a member."""
    return _member_row(operator().manage_members.remove(WorkspaceId(workspace), email))


@member.command(epilog="Example: platen member verify --workspace ws_01J8 ada@example.com")
@_WORKSPACE
@_EMAIL
@print_answer
def verify(workspace: str, email: str) -> dict[str, Any]:
    """Take an address for verified; with the owner's, live keys may render."""
    return _member_row(operator().manage_members.verify(WorkspaceId(workspace), email))


def _member_row(member: Member) -> dict[str, Any]:
    row = asdict(member)
    row["workspace"] = row.pop("workspace_id")
    return row
