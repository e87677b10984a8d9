"""The command line of the operator tool."""

from typing import Any

import click

from chalicelib.settings import SETTINGS
from infra.operator.conform import conform
from infra.operator.dead_letters import dlq
from infra.operator.keys import key
from infra.operator.members import member
from infra.operator.output import answers
from infra.operator.renders import render
from infra.operator.service import service
from infra.operator.templates import template
from infra.operator.workspaces import workspace


@click.group()
@click.option("--stage", envvar="PLATEN_STAGE", help="A deployed stage, such as production.")
def main(stage: str | None) -> None:
    """Operate Platen: a deployed stage, the stack that the environment names, or this machine's."""


@main.command()
@answers
def settings() -> dict[str, Any]:
    """List every setting, its default and its meaning."""
    rows = [
        {
            "variable": row.variable,
            "default": row.default,
            "required": row.default is None,
            "meaning": row.meaning,
        }
        for row in SETTINGS.values()
    ]
    return {"data": rows}


main.add_command(workspace)
main.add_command(key)
main.add_command(member)
main.add_command(template)
main.add_command(service)
main.add_command(render)
main.add_command(dlq)
main.add_command(conform)
