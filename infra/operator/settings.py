"""`platen settings`: every setting of the service."""

from typing import Any

import click

from infra.operator.output import print_answer


@click.command(epilog="Example: platen settings --json")
@print_answer
def settings() -> dict[str, Any]:
    """List every setting, its default and its meaning."""
    from chalicelib.bootstrap.work import all_settings

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
