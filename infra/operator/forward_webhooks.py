"""`platen webhook forward`: posts events to an address of the operator as they happen."""

import json
import socket
import time
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

import click

from chalicelib.adapters.aws.transient_errors import is_transient
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.core.text import terminal_text
from chalicelib.engine.ports import HostUnreachableError
from chalicelib.features.forwarding.forward import ForwardedEvent, ForwardSecrets, ForwardTarget
from infra.operator.connection import forward_service
from infra.operator.output import command_errors
from infra.operator.workspaces import existing_workspace

_PAUSE_S: Final = 1.0
_TYPES: Final = [each.name for each in EVENT_TYPES if each.is_public]
_TYPE_WIDTH: Final = max(map(len, _TYPES))


@click.command(epilog="Example: platen webhook forward http://localhost:3000/hooks")
@click.argument("url")
@click.option(
    "--workspace",
    metavar="WS",
    help="All events of a workspace; default on this machine: the test events of the demo one.",
)
@click.option(
    "--events",
    metavar="TYPE",
    type=click.Choice(_TYPES),
    multiple=True,
    help=f"Only these: {', '.join(_TYPES)}.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def forward(url: str, workspace: str | None, events: tuple[str, ...], *, as_json: bool) -> None:
    """Post each new event to URL, signed as a webhook, until Ctrl-C.

    URL may be on this machine. An event is posted once. It is signed with the secret that signs
    webhooks of requests, or with a new secret that is shown.
    """
    _check_url(url)
    try:
        with command_errors(as_json=as_json):
            _forward(url, workspace, events, as_json=as_json)
    except KeyboardInterrupt:
        # The usual end of this command.
        return


def _forward(url: str, workspace: str | None, types: tuple[str, ...], *, as_json: bool) -> None:
    service, demo_workspace = forward_service()
    workspace_id = workspace or demo_workspace
    if workspace_id is None:
        raise click.UsageError("--workspace says whose events are forwarded")
    found = existing_workspace(service.workspaces, workspace_id)
    secrets = service.choose_secrets(found.id, "test" if workspace is None else "live")
    target = ForwardTarget(url=url, secrets=secrets.texts, types=types, test_only=workspace is None)
    forwarder = service.make_forwarder(found.id, _connect)
    forwarder.start()
    _print_start(found.id, target, secrets, as_json=as_json)
    is_failing = False
    while True:
        try:
            for event in forwarder.forward_new(target):
                _print_event(event, as_json=as_json)
        except Exception as reason:
            if not is_transient(reason):
                raise
            if not is_failing:
                message = terminal_text(f"AWS does not answer, trying again: {reason}")
                click.echo(message, err=True)
            is_failing = True
        else:
            is_failing = False
        time.sleep(_PAUSE_S)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise click.UsageError("URL is http://host:port/path or https://host/path")


def _connect(
    host: str,
    port: int,
    *,
    timeout_s: float,
    ports: Collection[int],  # noqa: ARG001 -- the operator may reach any address
    exempt_only: bool,  # noqa: ARG001
) -> socket.socket:
    """Connect to the operator's own address, which no rule of egress restricts."""
    try:
        return socket.create_connection((host, port), timeout_s)
    except OSError as error:
        raise HostUnreachableError(f"{host}:{port} could not be connected to") from error


def _print_start(
    workspace_id: str, target: ForwardTarget, secrets: ForwardSecrets, *, as_json: bool
) -> None:
    # The other secrets are known to those who verify with them.
    new_secret = secrets.texts[0] if secrets.is_new else None
    if as_json:
        start = {
            "object": "forwarding",
            "workspace": workspace_id,
            "url": target.url,
            "test_only": target.test_only,
            "endpoint_id": secrets.endpoint_id,
            "secret": new_secret,
        }
        click.echo(json.dumps(start))
        return
    which = "test events" if target.test_only else "events"
    click.echo(f"New {which} of {workspace_id} go to {terminal_text(target.url)}")
    if secrets.has_unusable:
        click.echo("The signing secret of the workspace cannot be opened.", err=True)
    name = secrets.endpoint_id or "the workspace"
    signer = click.style(new_secret, bold=True) if new_secret else f"the secret of {name}"
    click.echo(f"signed with {signer}; Ctrl-C ends it.")


def _print_event(event: ForwardedEvent, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"object": "forwarded_event", **event._asdict()}))
        return
    status = "-" if event.status_code is None else str(event.status_code)
    line = f"{event.type:<{_TYPE_WIDTH}}  {event.id}  {status:>3}  {event.latency_ms:>5} ms"
    click.echo(f"{line}  {terminal_text(event.error)}" if event.error else line)
