"""The command line of the operator tool."""

from typing import Any, Final

import click

from chalicelib.settings import SETTINGS, Setting
from infra.operator.keys import key
from infra.operator.output import answers
from infra.operator.workspaces import workspace

# What the service itself does not read, only the stack that runs on one machine.
_LOCAL_SETTINGS: Final = (
    Setting(
        "PLATEN_LOCAL_THROTTLE",
        "`1`: the local Invoke API refuses when all slots are busy, as Lambda does",
        "",
    ),
)


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
        for row in (*SETTINGS.values(), *_LOCAL_SETTINGS)
    ]
    return {"data": rows}


main.add_command(workspace)
main.add_command(key)
