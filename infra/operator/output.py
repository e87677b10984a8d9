"""Output of commands: a table or one JSON object; exit status 1 with a reason on failure."""

import functools
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, override

import click
from rich.cells import cell_len

from chalicelib.core.errors import ServiceError
from chalicelib.core.text import terminal_text
from chalicelib.settings import MissingSetting

_GAP: Final = "  "
_OVERFLOW_INDENT: Final = "    "
_UNLIMITED_WIDTH: Final = 1_000_000
# Printed in bold, because it is shown only once.
_SECRET_FIELD: Final = "key"  # noqa: S105 -- a name


class CommandError(click.ClickException):
    """The command failed; the reason goes to standard error."""

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        """Carry a code for programs and a sentence for people."""
        super().__init__(message)
        self.code = code

    @override
    def format_message(self) -> str:
        return terminal_text(self.message)


def print_answer(command: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
    """Decorate a command: add `--json`, print its result, and turn errors into CommandError."""

    @click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
    @functools.wraps(command)
    def run(*, as_json: bool, **options: Any) -> None:
        with command_errors(as_json=as_json):
            answer = command(**options)
        if as_json:
            click.echo(json.dumps(answer))
        else:
            click.echo("\n".join(answer_lines(answer)))

    return run


@contextmanager
def command_errors(*, as_json: bool) -> Iterator[None]:
    """Turn the errors of a command into CommandError; with `as_json` print them as well."""
    try:
        yield
    except Exception as reason:
        refusal = _command_error(reason)
        if refusal is None:
            raise
        if as_json:
            click.echo(json.dumps({"code": refusal.code, "detail": refusal.message}))
        if refusal is reason:
            raise
        raise refusal from reason


def _command_error(reason: Exception) -> CommandError | None:
    """Return the refusal that an error is for the user, or None if it is a fault of the tool."""
    match reason:
        case CommandError():
            return reason
        case ServiceError():
            return CommandError(reason.code, reason.detail)
        case MissingSetting():
            return CommandError("setting_missing", str(reason))
        case _:
            return _aws_error(reason)


def _aws_error(reason: Exception) -> CommandError | None:
    from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

    from infra.deploy.account import NO_REGION

    match reason:
        case NoRegionError():
            return CommandError("setting_missing", NO_REGION)
        case BotoCoreError() | ClientError():
            return CommandError("aws_failed", f"AWS does not do it: {reason}")
        case _:
            return None


def answer_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a result: its fields, then its lists of objects as tables."""
    tables = {name: value for name, value in answer.items() if _is_table(name, value)}
    fields = {name: _cell_text(value) for name, value in answer.items() if name not in tables}
    for name, line in zip(fields, _field_lines(fields), strict=True):
        yield _bold(line) if name == _SECRET_FIELD else line
    for name, rows in tables.items():
        if fields:
            yield ""
            yield _bold(f"{name}:")
        yield from _table_lines(rows) if rows else ("none",)


def _is_table(name: str, value: Any) -> bool:
    rows = isinstance(value, list) and all(isinstance(row, Mapping) for row in value)
    return rows and bool(name == "data" or value)


def _field_lines(fields: Mapping[str, str]) -> Iterator[str]:
    width = max(map(cell_len, fields), default=0)
    for name, text in fields.items():
        yield _pad(name, width) + _GAP + text


def _table_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    max_width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNLIMITED_WIDTH
    names = list(rows[0])
    cells = [[_cell_text(value) for value in row.values()] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(names, *cells, strict=True)]
    heading, _ = _row_line(names, widths, max_width)
    yield _bold(heading)
    for row in cells:
        line, fitting = _row_line(row, widths, max_width)
        yield line
        below = {name: row[n] for n, name in enumerate(names) if n >= fitting and row[n] != "-"}
        yield from (_OVERFLOW_INDENT + pair for pair in _field_lines(below))


def _row_line(row: Sequence[str], widths: Sequence[int], max_width: int) -> tuple[str, int]:
    """Return the line of a row and the number of cells that fit into it, at least one."""
    line = ""
    for n, cell in enumerate(row):
        prefix = line + _GAP if line else ""
        left = max_width - cell_len(prefix)
        if n and cell_len(cell) > left:
            return line.rstrip(), n
        line = prefix + (_pad(cell, widths[n]) if widths[n] <= left else cell)
    return line.rstrip(), len(row)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _cell_text(value: Any) -> str:
    # A caller's text may hold control characters, on which a terminal would act.
    return terminal_text(_plain_text(value))


def _plain_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], {}):
        return "-"
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_plain_text(inner)}" for name, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
