"""Tables for people: they fit the terminal, or 100 columns, and never cut an id."""

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

import click
from rich.cells import cell_len, chop_cells

from chalicelib.core.text import terminal_text

_GAP: Final = "  "
_INDENT: Final = "    "
_WIDTH_OF_FILES: Final = 100
# Room for a text before a column is put below its row, and for a word before it is chopped.
_MIN_TEXT: Final = 16
_MAX_WORD: Final = 24
# Columns whose values are copied, besides those of ids.
_WHOLE_NAMES: Final = {"id", "key", "workspace", "variable", "path"}
# Printed in bold, because it is shown only once.
_SECRET_FIELD: Final = "key"  # noqa: S105 -- a name


def answer_lines(answer: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a result: its fields, then its lists of objects as tables."""
    tables = {name: rows for name, value in answer.items() if (rows := _rows(name, value))}
    empty = {name for name, value in answer.items() if name == "data" and value == []}
    fields = {
        name: _cell_text(value)
        for name, value in answer.items()
        if name not in tables and name not in empty
    }
    yield from _field_lines(fields)
    for name in [name for name in answer if name in tables or name in empty]:
        if fields:
            yield ""
            yield _bold(f"{name}:")
        yield from _table_lines(tables[name]) if name in tables else ("none",)


def _rows(name: str, value: object) -> Sequence[Mapping[str, object]]:
    is_table = isinstance(value, list) and all(isinstance(row, Mapping) for row in value)
    return value if is_table and isinstance(value, list) and (name == "data" or value) else []


def _field_lines(fields: Mapping[str, str]) -> Iterator[str]:
    width = max(map(cell_len, fields), default=0) + len(_GAP)
    room = max(_MIN_TEXT, _max_width() - width)
    for name, text in fields.items():
        for label, line in zip_longest([name], _wrapped_lines(text, room), fillvalue=""):
            whole = _pad(label, width) + line
            yield _bold(whole) if name == _SECRET_FIELD else whole


def _table_lines(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Yield a heading and the rows; columns without room stand below each row, with their names."""
    names = list(rows[0])
    cells = [[_cell_text(value) for value in row.values()] for row in rows]
    widths = _column_widths(names, cells, _max_width())
    yield _bold(_line(names[: len(widths)], widths))
    for row in cells:
        columns = [
            [text] if _is_whole(name) else _wrapped_lines(text, width, chops=True)
            for name, text, width in zip(names, row, widths, strict=False)
        ]
        yield from (_line(line, widths) for line in zip_longest(*columns, fillvalue=""))
        below = zip(names[len(widths) :], row[len(widths) :], strict=True)
        yield from _pair_lines([f"{name}={text}" for name, text in below if text != "-"])


def _column_widths(
    names: Sequence[str], cells: Sequence[Sequence[str]], max_width: int
) -> list[int]:
    """Return the widths of the columns that fit, at least one; room that is left goes to texts."""
    natural = [max(map(cell_len, column)) for column in zip(names, *cells, strict=True)]
    widths: list[int] = []
    room = max_width
    for n, name in enumerate(names):
        words = [cell_len(word) for row in cells for word in row[n].split()]
        needed = max(_MIN_TEXT, cell_len(name), min(_MAX_WORD, max(words, default=0)))
        width = natural[n] if _is_whole(name) else min(natural[n], needed)
        room -= width + (len(_GAP) if widths else 0)
        if widths and room < 0:
            room += width + len(_GAP)
            break
        widths.append(width)
    for n in range(len(widths)):
        more = max(0, min(natural[n] - widths[n], room))
        widths[n] += more
        room -= more
    return widths


def _is_whole(name: str) -> bool:
    return name in _WHOLE_NAMES or name.endswith("_id")


def _pair_lines(pairs: Sequence[str]) -> Iterator[str]:
    room = max(_MIN_TEXT, _max_width() - len(_INDENT))
    line = ""
    for pair in pairs:
        longer = f"{line}{_GAP}{pair}" if line else pair
        if line and cell_len(longer) > room:
            yield from (_INDENT + each for each in _wrapped_lines(line, room))
            longer = pair
        line = longer
    yield from (_INDENT + each for each in _wrapped_lines(line, room) if each)


def _wrapped_lines(text: str, width: int, *, chops: bool = False) -> list[str]:
    """Return the lines of a text, broken at blanks; with `chops` also inside of long words."""
    if cell_len(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        for part in chop_cells(word, width) if chops and word else [word]:
            longer = f"{lines[-1]} {part}" if lines[-1] else part
            if lines[-1] and cell_len(longer) > width:
                lines.append(part)
            else:
                lines[-1] = longer
    return lines


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(map(_pad, cells, widths)).rstrip()


def _max_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH_OF_FILES


def _pad(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _cell_text(value: object) -> str:
    # A caller's text may hold control characters, on which a terminal would act.
    return terminal_text(_plain_text(value))


def _plain_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], {}):
        return "-"
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_plain_text(inner)}" for name, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
