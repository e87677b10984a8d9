"""`platen service`: commands for the service as a whole."""

from typing import Any

import click

from chalicelib.core.clock import format_rfc3339
from chalicelib.features.workspaces.service_state.repository import STATES
from infra.operator.connection import operator, signing_keys
from infra.operator.output import print_answer


@click.group()
def service() -> None:
    """Control the service as a whole."""


@service.command(epilog="Example: platen service state maintenance --retry-after 60")
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


@service.command("roll-signing-secret", epilog="Example: platen service roll-signing-secret")
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
