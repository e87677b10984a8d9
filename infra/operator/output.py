"""How a command answers: a table for people, one JSON object for programs, 1 when refused."""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from chalicelib.core.errors import ServiceError
from chalicelib.settings import MissingSetting


class Refused(click.ClickException):
    """The command cannot be done; the reason goes to standard error."""

    exit_code = 1


def answers(command: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
    """Print what a command returns; add `--json`, and tell refusals as such."""

    @click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
    @functools.wraps(command)
    def run(*, as_json: bool, **options: Any) -> None:
        try:
            answer = command(**options)
        except ServiceError as refusal:
            if as_json:
                click.echo(json.dumps({"code": refusal.code, "detail": refusal.detail}))
            raise Refused(refusal.detail) from refusal
        except MissingSetting as missing:
            raise Refused(str(missing)) from missing
        if as_json:
            click.echo(json.dumps(answer))
        else:
            _print(answer)

    return run


def _print(answer: Mapping[str, Any]) -> None:
    rows = answer.get("data", [answer])
    if not rows:
        click.echo("none")
        return
    console = Console()
    if "data" in answer:
        console.print(_columns(rows))
        return
    table = Table(show_header=False, box=None)
    for name, value in answer.items():
        # Never folded: a key is copied from here.
        table.add_row(name, _text(value), style="bold" if name == "key" else None)
    console.print(table, soft_wrap=True)


def _columns(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(_text(value) for value in row.values()))
    return table


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return str(value)
