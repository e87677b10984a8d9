"""Exact positions in a template source.

Jinja2 knows lines only: its tokens, nodes and debug tables carry the line as a number. The lexer
here puts the position in the source (counted from 1) there instead, and `source_position` turns it
back into line and column.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, override

from jinja2.exceptions import TemplateSyntaxError
from jinja2.lexer import TOKEN_EOF, Lexer, Token, TokenStream

from chalicelib.engine.templating.number import literal

_LINE_BREAK: Final = re.compile(r"\r\n|\r")
_MAX_EXCERPT_CHARACTERS: Final = 160


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """Line and column, both from 1, and the source line, cut around the column if long."""

    line: int
    column: int
    excerpt: str


def normalize_newlines(source: str) -> str:
    """Return the source with every line break as a newline, as Jinja2 reads it."""
    return _LINE_BREAK.sub("\n", source)


def source_position(source: str, position: int) -> SourcePosition:
    """Return the line and column of `position` (from 1) in a source with normalized newlines."""
    offset = min(max(position - 1, 0), len(source))
    start = source.rfind("\n", 0, offset) + 1
    end = source.find("\n", offset)
    line = source[start:] if end < 0 else source[start:end]
    column = offset - start
    first = max(0, min(column - _MAX_EXCERPT_CHARACTERS // 2, len(line) - _MAX_EXCERPT_CHARACTERS))
    return SourcePosition(
        line=source.count("\n", 0, offset) + 1,
        column=column + 1,
        excerpt=line[first : first + _MAX_EXCERPT_CHARACTERS],
    )


class PositionLexer(Lexer):
    """Lexer whose line numbers are positions in the source, counted from 1."""

    position = 1
    _text = ""

    @override
    def tokenize(
        self,
        source: str,
        name: str | None = None,
        filename: str | None = None,
        state: str | None = None,
    ) -> TokenStream:
        tokens = self.wrap(self.tokeniter(source, name, filename, state), name, filename)
        return _EndPositionStream(tokens, name, filename, len(source.rstrip()) + 1)

    @override
    def tokeniter(
        self,
        source: str,
        name: str | None,
        filename: str | None = None,
        state: str | None = None,
    ) -> Iterator[tuple[int, str, str]]:
        offset = 0
        self.position = 1
        tokens = super().tokeniter(source, name, filename, state)
        try:
            for _, kind, text in tokens:
                # Jinja2 drops only white space between two tokens, so the text is found from here.
                start = source.find(text, offset)
                self.position = start + 1
                self._text = text
                yield start + 1, kind, text
                offset = start + len(text)
        except TemplateSyntaxError as error:
            error.lineno = offset + 1
            raise

    @override
    def wrap(
        self,
        stream: Iterable[tuple[int, str, str]],
        name: str | None = None,
        filename: str | None = None,
    ) -> Iterator[Token]:
        for token in super().wrap(stream, name, filename):
            # Jinja2 reads it in binary. One that is too large stays infinite, and is refused.
            value: object = token.value
            if isinstance(value, float) and math.isfinite(value):
                number = literal(self._text.replace("_", ""))
                yield Token(token.lineno, token.type, number)  # type: ignore[arg-type]  # as Jinja2's
            else:
                yield token


class _EndPositionStream(TokenStream):
    """Token stream whose end token has the position of the source's end."""

    def __init__(
        self, tokens: Iterator[Token], name: str | None, filename: str | None, end: int
    ) -> None:
        self._end = end
        super().__init__(tokens, name, filename)

    @override
    def close(self) -> None:
        super().close()
        self.current = Token(self._end, TOKEN_EOF, "")
