"""How an answer looks to people: fields, and rows of columns as wide as the terminal.

Nothing is folded or cut: ids and keys are copied from a table. What has no room in its row stands
below it; where the output is no terminal, a row is a line, however long.
"""

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click
from rich.cells import cell_len

from chalicelib.core.text import visible

_GAP: Final = "  "
_BELOW: Final = "    "
_NO_TERMINAL: Final = 1_000_000
# What nobody is shown a second time.
_SHOWN_ONCE: Final = "key"


def lines_of(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an answer: its fields, then its lists of objects as tables."""
    tables = {name: value for name, value in answer.items() if _is_table(name, value)}
    fields = {name: _text(value) for name, value in answer.items() if name not in tables}
    for name, line in zip(fields, _pairs(fields), strict=True):
        yield _bold(line) if name == _SHOWN_ONCE else line
    for name, rows in tables.items():
        if fields:
            yield ""
            yield _bold(f"{name}:")
        yield from _table(rows) if rows else ("none",)


def _is_table(name: str, value: Any) -> bool:
    rows = isinstance(value, list) and all(isinstance(row, Mapping) for row in value)
    return rows and bool(name == "data" or value)


def _pairs(fields: Mapping[str, str]) -> Iterator[str]:
    width = max(map(cell_len, fields), default=0)
    for name, text in fields.items():
        yield _padded(name, width) + _GAP + text


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else _NO_TERMINAL
    names = list(rows[0])
    cells = [[_text(value) for value in row.values()] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(names, *cells, strict=True)]
    heading, _ = _split(names, widths, room)
    yield _bold(heading)
    for row in cells:
        line, beside = _split(row, widths, room)
        yield line
        below = {name: row[n] for n, name in enumerate(names) if n >= beside and row[n] != "-"}
        yield from (_BELOW + pair for pair in _pairs(below))


def _split(row: Sequence[str], widths: Sequence[int], room: int) -> tuple[str, int]:
    """Return the line of a row, and how many of its cells have room there: the first always."""
    line = ""
    for n, cell in enumerate(row):
        begun = line + _GAP if line else ""
        left = room - cell_len(begun)
        if n and cell_len(cell) > left:
            return line.rstrip(), n
        line = begun + (_padded(cell, widths[n]) if widths[n] <= left else cell)
    return line.rstrip(), len(row)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _bold(text: str) -> str:
    return click.style(text, bold=True)


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
