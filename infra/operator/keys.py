"""`platen key`."""

import datetime as dt
from typing import Any

import click

from chalicelib.bootstrap.operator import Operator
from chalicelib.core.clock import parse_rfc3339, rfc3339
from chalicelib.core.errors import invalid
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.key_use import is_unused
from chalicelib.features.workspaces.keys import GRACE_HOURS, NewKey
from chalicelib.features.workspaces.model import SCOPES, ApiKey
from infra.operator.connection import operator
from infra.operator.output import answers
from infra.operator.workspaces import existing

_PREFIX = "key_"


@click.group()
def key() -> None:
    """API keys."""


@key.command()
@click.option("--workspace", metavar="WS", required=True)
@click.option("--mode", type=click.Choice(["test", "live"]), required=True)
@click.option("--scope", type=click.Choice(SCOPES), multiple=True, help="Default: all of them.")
@click.option("--expires", metavar="RFC3339", help="When it ends, such as 2027-01-31T00:00:00Z.")
@click.option("--allow-ip", metavar="CIDR", multiple=True)
@click.option("--template", metavar="TPL", multiple=True)
@click.option("--name", default="", metavar="TEXT")
@answers
def create(**options: Any) -> dict[str, Any]:
    """Make a key; it is shown this once."""
    service = operator()
    made = service.manage_keys.create(
        WorkspaceId(options["workspace"]),
        mode=options["mode"],
        name=options["name"],
        scopes=options["scope"] or SCOPES,
        expires_at=_moment(options["expires"]),
        allow_ips=options["allow_ip"],
        templates=options["template"],
    )
    return _new(made, service)


@key.command("list")
@click.option("--workspace", metavar="WS", required=True)
@answers
def list_all(workspace: str) -> dict[str, Any]:
    """List a workspace's keys, newest first; `unused`: for 90 days or more."""
    service = operator()
    found = existing(service, workspace)
    now = service.clock.now()
    return {"data": [_shown(row, now) for row in service.keys.of_workspace(found.id)]}


@key.command()
@click.argument("key_id", metavar="KEY")
@click.option(
    "--grace-h",
    type=click.Choice([str(hours) for hours in GRACE_HOURS]),
    default="0",
    show_default=True,
    help="Hours for which the old secret still holds.",
)
@answers
def roll(key_id: str, grace_h: str) -> dict[str, Any]:
    """Give a key a new secret; it is shown this once."""
    service = operator()
    return _new(service.manage_keys.roll(_bare(key_id), grace_h=int(grace_h)), service)


@key.command()
@click.argument("key_id", metavar="KEY")
@answers
def revoke(key_id: str) -> dict[str, Any]:
    """End a key at once."""
    service = operator()
    return _shown(service.manage_keys.revoke(_bare(key_id)), service.clock.now())


def _new(made: NewKey, service: Operator) -> dict[str, Any]:
    shown = _shown(made.key, service.clock.now())
    return {"id": _PREFIX + made.key.id, "key": made.text} | shown


def _shown(found: ApiKey, now: dt.datetime) -> dict[str, Any]:
    return {
        "id": _PREFIX + found.id,
        "workspace": found.workspace_id,
        "mode": found.mode,
        "name": found.name,
        "scopes": sorted(found.scopes),
        "allow_ips": list(found.allow_ips),
        "templates": list(found.templates),
        "created_at": found.created_at,
        "expires_at": rfc3339(found.expires_at) if found.expires_at else None,
        "revoked_at": rfc3339(found.revoked_at) if found.revoked_at else None,
        "last_used_at": rfc3339(found.last_used_at) if found.last_used_at else None,
        "unused": is_unused(found, now),
    }


def _bare(key_id: str) -> str:
    return key_id.removeprefix(_PREFIX)


def _moment(text: str | None) -> dt.datetime | None:
    if text is None:
        return None
    try:
        return parse_rfc3339(text)
    except ValueError as reason:
        raise invalid("/expires", f"{text} is no RFC 3339 time: {reason}") from reason
