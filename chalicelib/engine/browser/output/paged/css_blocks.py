"""Blocks of a style sheet with their declarations, also those that the browser drops.

Hostile texts are read: the time is linear in the text.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?"""
    r"""|url\(\s*+(?!["'])[^()"'\s]*+\s*+\)?"""
    r"""|\\.|[{};()\[\]]|[^{};()\[\]"'/\\u]++|.""",
    re.DOTALL | re.IGNORECASE,
)
_PAGE: Final = re.compile(r"@page(?![\w-])", re.IGNORECASE)
# Areas of a page: its margin boxes, and its footnotes.
_AREA: Final = re.compile(r"@(?:top|bottom|left|right|footnote)", re.IGNORECASE)
_IMPORTANT: Final = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
# What no author writes is left out: deeper blocks, and longer selectors.
_MAX_DEPTH: Final = 16
MAX_SELECTOR_CHARS: Final = 4_000


class CssBlock(NamedTuple):
    """Declarations of one block; `preludes` are those of the blocks around it, outermost first."""

    preludes: tuple[str, ...]
    declarations: Mapping[str, str]
    offset: int

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the conditions around, such as `@media print`."""
        return tuple(p for p in self.preludes if p[:1] == "@" and not _is_of_pages(p))

    @property
    def page_preludes(self) -> tuple[str, ...]:
        """Return the prelude of a page rule and that of the area within; empty elsewhere."""
        return tuple(prelude for prelude in self.preludes if _is_of_pages(prelude))

    @property
    def selectors(self) -> str:
        """Return the selectors of a style rule, those of nested rules as one; empty elsewhere."""
        whole = ""
        for prelude in self.preludes:
            if prelude[:1] == "@":
                continue
            copies = max(prelude.count("&"), prelude.count(",") + 1)
            if len(prelude) + copies * len(whole) > MAX_SELECTOR_CHARS:
                return ""
            whole = _nested_selectors(whole, prelude)
        return whole


def css_blocks(text: str) -> Iterator[CssBlock]:
    """Yield the blocks of a sheet that have declarations, in the order of their ends."""
    reader = _Reader()
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece == "{":
            reader.open_block()
        elif piece == "}":
            yield from reader.close_block()
        elif piece == ";":
            reader.end_statement(";")
        elif not piece.startswith("/*"):
            reader.add(piece, match.start())
    # The end of a sheet closes what is open.
    while reader.is_open:
        yield from reader.close_block()


class _Reader:
    """State between two tokens of a sheet."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int, dict[str, str]]] = []
        self._parts: list[str] = []
        self._began = self._brackets = self._too_deep = 0

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def add(self, token: str, offset: int) -> None:
        if not self._parts:
            if token.isspace():
                return
            self._began = offset + len(token) - len(token.lstrip())
        self._brackets += (token in {"(", "["}) - (token in {")", "]"})
        self._parts.append(token)

    def open_block(self) -> None:
        if self._too_deep or len(self._open) == _MAX_DEPTH:
            self._too_deep += 1
        else:
            self._open.append(("".join(self._parts).strip(), self._began, {}))
        self._forget()

    def close_block(self) -> Iterator[CssBlock]:
        self.end_statement("")
        if self._too_deep:
            self._too_deep -= 1
        elif self._open:
            preludes = tuple(prelude for prelude, _, _ in self._open)
            _, offset, declarations = self._open.pop()
            if declarations:
                yield CssBlock(preludes, declarations, offset)

    def end_statement(self, token: str) -> None:
        # Within brackets a semicolon is part of a value.
        if token and self._brackets > 0:
            self._parts.append(token)
            return
        if self._open and not self._too_deep:
            name, colon, value = "".join(self._parts).partition(":")
            if colon:
                declarations = self._open[-1][2]
                declarations[name.strip().lower()] = _IMPORTANT.sub("", value).strip()
        self._forget()

    def _forget(self) -> None:
        self._parts, self._brackets = [], 0


def _is_of_pages(prelude: str) -> bool:
    return _PAGE.match(prelude) is not None or _AREA.match(prelude) is not None


def _nested_selectors(outer: str, inner: str) -> str:
    if not outer:
        return inner
    if "&" in inner:
        return inner.replace("&", f":is({outer})")
    return ", ".join(f":is({outer}) {part.strip()}" for part in inner.split(","))
