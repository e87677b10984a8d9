"""The command line of the operator tool."""

from typing import Any

import click

from chalicelib.settings import SETTINGS
from infra.operator.keys import key
from infra.operator.output import answers
from infra.operator.workspaces import workspace


@click.group()
def main() -> None:
    """Operate Platen: the stack on this machine, or the one that the environment names."""


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
