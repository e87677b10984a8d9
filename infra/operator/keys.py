"""`platen key`: commands for API keys."""

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.keys.manage import GRACE_HOURS, NewKey
from chalicelib.features.workspaces.keys.model import LIVE_SCOPES, SCOPES, ApiKey
from chalicelib.features.workspaces.keys.record_use import is_unused
from infra.operator.connection import operator
from infra.operator.output import print_answer
from infra.operator.workspaces import existing_workspace

if TYPE_CHECKING:
    from chalicelib.bootstrap.operator import OperatorServices

_PREFIX = "key_"
_LIVE_SCOPES = ", ".join(LIVE_SCOPES)
_AS_MEMBER = click.option(
    "--as",
    "as_email",
    metavar="EMAIL",
    help="Act as this member: a developer has the keys that they made, owner and admin all.",
)


@click.group()
def key() -> None:
    """Manage API keys."""


@key.command(epilog="Example: platen key create --workspace ws_01J8 --mode test --name Shop")
@click.option("--workspace", metavar="WS", required=True)
@click.option("--mode", type=click.Choice(["test", "live"]), required=True)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    multiple=True,
    help=f"Default: all of them; of a test key all but {_LIVE_SCOPES}, which change live renders.",
)
@click.option("--expires", metavar="RFC3339", help="When it ends, such as 2027-01-31T00:00:00Z.")
@click.option("--allow-ip", metavar="CIDR", multiple=True)
@click.option("--template", metavar="TPL", multiple=True)
@click.option("--name", default="", metavar="TEXT")
@_AS_MEMBER
@print_answer
def create(**options: Any) -> dict[str, Any]:
    """Make a key; it is shown this once."""
    service = operator()
    _tell_of_live_scopes(options["mode"], options["scope"])
    new_key = service.manage_keys.create(
        WorkspaceId(options["workspace"]),
        mode=options["mode"],
        name=options["name"],
        scopes=options["scope"] or None,
        expires_at=_parse_time(options["expires"]),
        allow_ips=options["allow_ip"],
        templates=options["template"],
        as_email=options["as_email"],
    )
    return _new_key_row(new_key, service)


@key.command("list", epilog="Example: platen key list --workspace ws_01J8")
@click.option("--workspace", metavar="WS", required=True)
@_AS_MEMBER
@print_answer
def list_all(workspace: str, as_email: str | None) -> dict[str, Any]:
    """List a workspace's keys, newest first; `unused`: for 90 days or more."""
    service = operator()
    found = existing_workspace(service.workspaces, workspace)
    now = service.clock.now()
    return {"data": [_key_row(row, now) for row in service.manage_keys.list_keys(found, as_email)]}


@key.command(epilog="Example: platen key roll key_5hK2 --grace-h 24")
@click.argument("key_id", metavar="KEY")
@click.option(
    "--grace-h",
    type=click.Choice([str(hours) for hours in GRACE_HOURS]),
    default="0",
    show_default=True,
    help="Hours for which the old secret still holds.",
)
@_AS_MEMBER
@print_answer
def roll(key_id: str, grace_h: str, as_email: str | None) -> dict[str, Any]:
    """Give a key a new secret; it is shown this once."""
    service = operator()
    roll_key = service.manage_keys.roll
    new_key = roll_key(_bare_key_id(key_id), grace_h=int(grace_h), as_email=as_email)
    return _new_key_row(new_key, service)


@key.command(epilog="Example: platen key revoke key_5hK2")
@click.argument("key_id", metavar="KEY")
@_AS_MEMBER
@print_answer
def revoke(key_id: str, as_email: str | None) -> dict[str, Any]:
    """End a key at once."""
    service = operator()
    revoked = service.manage_keys.revoke(_bare_key_id(key_id), as_email=as_email)
    return _key_row(revoked, service.clock.now())


def _tell_of_live_scopes(mode: str, scopes: Sequence[str]) -> None:
    """Say on standard error how named scopes of a test key affect live renders."""
    named = [each for each in LIVE_SCOPES if each in scopes]
    if mode == "test" and named:
        text = (
            f"This test key changes live behaviour: with {', '.join(named)} it changes what the "
            "whole workspace has, and what its live renders send, store or show."
        )
        click.echo(text, err=True)


def _new_key_row(new_key: NewKey, service: "OperatorServices") -> dict[str, Any]:
    row = _key_row(new_key.key, service.clock.now())
    # The union puts the secret second, where it is seen.
    return {"id": _PREFIX + new_key.key.id, "key": new_key.text} | row


def _key_row(api_key: ApiKey, now: dt.datetime) -> dict[str, Any]:
    return {
        "id": _PREFIX + api_key.id,
        "workspace": api_key.workspace_id,
        "mode": api_key.mode,
        "name": api_key.name,
        "scopes": sorted(api_key.scopes),
        "allow_ips": list(api_key.allow_ips),
        "templates": list(api_key.templates),
        "created_at": api_key.created_at,
        "created_by": api_key.created_by,
        "expires_at": format_rfc3339(api_key.expires_at) if api_key.expires_at else None,
        "revoked_at": format_rfc3339(api_key.revoked_at) if api_key.revoked_at else None,
        "last_used_at": format_rfc3339(api_key.last_used_at) if api_key.last_used_at else None,
        "unused": is_unused(api_key, now),
    }


def _bare_key_id(key_id: str) -> str:
    return key_id.removeprefix(_PREFIX)


def _parse_time(text: str | None) -> dt.datetime | None:
    if text is None:
        return None
    try:
        return parse_rfc3339(text)
    except ValueError as reason:
        raise validation_error("/expires", f"{text} is no RFC 3339 time: {reason}") from reason
