"""How a command answers: a table for people, one JSON object for programs, 1 when refused."""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, override

import click
from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console
from rich.table import Table

from chalicelib.core.errors import ServiceError
from chalicelib.core.text import visible
from chalicelib.settings import MissingSetting

# Nothing is folded or cut, however narrow the terminal: ids and keys are copied from a table.
_WIDTH: Final = 100_000


class Refused(click.ClickException):
    """The command cannot be done; the reason goes to standard error."""

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        """Refuse with a code for programs and a sentence for people."""
        super().__init__(message)
        self.code = code

    @override
    def format_message(self) -> str:
        return visible(self.message)


def answers(command: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
    """Print what a command returns; add `--json`, and tell refusals as such."""

    @click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
    @functools.wraps(command)
    def run(*, as_json: bool, **options: Any) -> None:
        try:
            answer = command(**options)
        except (Refused, ServiceError, MissingSetting, BotoCoreError, ClientError) as reason:
            refusal = _refusal(reason)
            if as_json:
                click.echo(json.dumps({"code": refusal.code, "detail": refusal.message}))
            raise refusal from reason
        if as_json:
            click.echo(json.dumps(answer))
        else:
            _print(answer)

    return run


def _refusal(reason: Exception) -> Refused:
    match reason:
        case ServiceError():
            return Refused(reason.code, reason.detail)
        case Refused():
            return Refused(reason.code, reason.message)
        case MissingSetting():
            return Refused("setting_missing", str(reason))
        case _:
            return Refused("aws_failed", f"AWS does not do it: {reason}")


def _print(answer: Mapping[str, Any]) -> None:
    # Names are shown as they are: neither markup nor emoji codes mean anything in them.
    console = Console(width=_WIDTH, markup=False, emoji=False, highlight=False)
    tables = {name: value for name, value in answer.items() if _is_table(name, value)}
    fields = {name: value for name, value in answer.items() if name not in tables}
    if fields:
        console.print(_fields(fields))
    for name, rows in tables.items():
        if fields:
            console.print(f"\n{name}:", style="bold")
        console.print(_columns(rows) if rows else "none")


def _is_table(name: str, value: Any) -> bool:
    rows = isinstance(value, list) and all(isinstance(row, Mapping) for row in value)
    return rows and bool(name == "data" or value)


def _fields(answer: Mapping[str, Any]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in answer.items():
        table.add_row(name, _text(value), style="bold" if name == "key" else None)
    return table


def _columns(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(*rows[0], box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*map(_text, row.values()))
    return table


def _text(value: Any) -> str:
    # A name may hold anything; a terminal acts on control characters.
    return visible(_plain(value))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], {}):
        return "-"
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_plain(inner)}" for name, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
