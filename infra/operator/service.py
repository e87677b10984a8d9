"""`platen service`."""

from typing import Any

import click

from chalicelib.core.clock import rfc3339
from chalicelib.features.workspaces.service_state import STATES
from infra.operator.connection import operator
from infra.operator.output import answers


@click.group()
def service() -> None:
    """The service as a whole."""


@service.command()
@click.argument("name", type=click.Choice(STATES), metavar="|".join(STATES), required=False)
@click.option("--retry-after", metavar="S", type=int, help="Default: 30.")
@answers
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
        "since": rfc3339(now.since) if now.since else None,
    }
