"""`platen`: root of the operator tool's command line."""

from typing import Any

import click

from chalicelib.bootstrap.work import all_settings
from chalicelib.core.clock import format_rfc3339
from chalicelib.features.workspaces.service_state.repository import STATES
from infra.operator.conform import conform
from infra.operator.connection import operator, signing_keys
from infra.operator.dead_letters import dlq
from infra.operator.forward_webhooks import webhooks
from infra.operator.keys import key
from infra.operator.mail import mail
from infra.operator.members import member
from infra.operator.output import print_answer
from infra.operator.pdf import pdf
from infra.operator.renders import render
from infra.operator.templates import template
from infra.operator.webhook_log import webhook
from infra.operator.workspaces import workspace


@click.group()
@click.option("--stage", envvar="PLATEN_STAGE", help="A deployed stage, such as production.")
def main(stage: str | None) -> None:
    """Operate Platen: a deployed stage, the stack that the environment names, or this machine's."""


@main.command()
@print_answer
def settings() -> dict[str, Any]:
    """List every setting, its default and its meaning."""
    rows = [
        {
            "variable": row.variable,
            "default": row.default,
            "required": row.default is None,
            "meaning": row.meaning,
        }
        for row in all_settings()
    ]
    return {"data": rows}


main.add_command(workspace)
main.add_command(key)
main.add_command(member)
main.add_command(mail)
main.add_command(template)
main.add_command(pdf)


@click.group()
def service() -> None:
    """Control the service as a whole."""


@service.command()
@click.argument("name", type=click.Choice(STATES), metavar="|".join(STATES), required=False)
@click.option("--retry-after", metavar="S", type=int, help="Default: 30.")
@print_answer
def state(name: Any, retry_after: int | None) -> dict[str, Any]:
    """Set, or show, whether new renders are taken; reading always goes on.

    `degraded` and `maintenance` answer new renders with 503; it takes some seconds to spread.
    """
    states = operator().service_states
    if name is None and retry_after is not None:
        raise click.UsageError("--retry-after goes with a state to be set")
    now = states.get() if name is None else states.set(name, retry_after_s=retry_after)
    return {
        "state": now.state,
        "retry_after_s": now.retry_after_s,
        "since": format_rfc3339(now.since) if now.since else None,
    }


@service.command("roll-signing-secret")
@print_answer
def roll_signing_secret() -> dict[str, Any]:
    """Add a version to the secret that signs file URLs and list cursors.

    It signs ten minutes later, when every function knows it. Signatures of former versions stay
    valid until they expire.
    """
    rows = [
        {
            "version": each.version,
            "signs_from": format_rfc3339(each.signs_from),
            "valid_until": format_rfc3339(each.valid_until) if each.valid_until else None,
        }
        for each in signing_keys().roll()
    ]
    return {"data": rows}


main.add_command(service)
main.add_command(render)
main.add_command(dlq)
main.add_command(webhook)
main.add_command(webhooks)
main.add_command(conform)
