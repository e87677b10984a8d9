"""Tables in Markdown that GitHub and MkDocs draw alike."""

import html
import re
from collections.abc import Iterable, Sequence
from typing import Final

_CODE: Final = re.compile(r"(`[^`]*`)")
# Not those that no line break parts.
_SPACES: Final = re.compile(r"[ \n]+")
# GitHub ends a cell at a pipe in code, and macros of site generators read double braces.
_SPECIAL: Final = {"|": "&#124;", "{": "&#123;", "}": "&#125;"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; texts are Markdown whose pipes and braces are escape here."""
    lines = [_line(head), "|" + "---|" * len(head), *map(_line, rows)]
    return "\n".join(lines)


def code(text: str) -> str:
    """Return a text as code."""
    return f"`{text}`"


def escape(text: str) -> str:
    """Return a text in one line whose pipes, braces and angle brackets have no meaning."""
    parts = _CODE.split(_SPACES.sub(" ", text).strip(" "))
    return "".join(_code(part) if part.startswith("`") else _plain(part) for part in parts)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escape, cells))} |"


def _code(span: str) -> str:
    if not _SPECIAL.keys() & set(span):
        return span
    return f"<code>{_entities(html.escape(span.strip('`'), quote=False))}</code>"


def _plain(text: str) -> str:
    return _entities(html.escape(text, quote=False))


def _entities(text: str) -> str:
    return "".join(_SPECIAL.get(each, each) for each in text)
