"""Split of a CSV stream into records, as bytes with their offsets.

The standard library parses the fields of a record, but it reads decoded lines and does not tell at
which byte a record ends. With the offset a reader can go on in another process.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

MAX_RECORD_BYTES: Final = 1_000_000


class Line(NamedTuple):
    """The bytes of a record, None where they are too many, and the offset behind them."""

    content: bytes | None
    end: int


def split_lines(chunks: Iterable[bytes], delimiter: str, offset: int) -> Iterator[Line]:
    """Yield the texts between line ends outside quotes, unless they are empty.

    Of lines whose fields are empty or blank, most are left out too.
    """
    ends = _RecordEnds(delimiter)
    empty_lines = _empty_lines(delimiter)
    kept = bytearray()
    length = 0
    for chunk in chunks:
        start = 0
        while start < len(chunk):
            if length == 0:
                empty = empty_lines.match(chunk, start)
                assert empty is not None, "it matches nothing, too"
                start = empty.end()
                if start == len(chunk):
                    break
            end = ends.find(chunk, start)
            stop = len(chunk) if end is None else end
            length += stop - start
            if length <= MAX_RECORD_BYTES:
                kept += chunk[start:stop]
            else:
                kept.clear()
            if end is not None:
                yield Line(_whole(kept, length), offset + end)
                kept.clear()
                length = 0
            start = stop
        offset += len(chunk)
    if length:
        yield Line(_whole(kept, length), offset)


def _empty_lines(delimiter: str) -> re.Pattern[bytes]:
    """Return the pattern of the end of a run of empty lines, of which a file may have millions."""
    field = rb'(?:""|[ \t]*+)' if delimiter != "\t" else rb'(?:""|[ ]*+)'
    return re.compile(rb"(?:%b(?:%b%b)*+[\r\n])*+" % (field, delimiter.encode(), field))


def _whole(kept: bytearray, length: int) -> bytes | None:
    return bytes(kept) if len(kept) == length else None


class _RecordEnds:
    """Finds the line ends that end records; knows between chunks whether it is within quotes."""

    # At its edge a field may be opened by a quote, or a quote that seemed to close it is doubled.
    _EDGE, _QUOTED, _UNQUOTED = range(3)
    # Doubled quotes are part of the field. Nothing is read twice, so the search stays linear.
    _CLOSING_QUOTE: Final = re.compile(rb'[^"]*+(?:""[^"]*+)*+"(?=[^"])')

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter.encode()
        self._stop = re.compile(rb'[\r\n]|%b"' % self._delimiter)
        self._state = self._EDGE

    def find(self, chunk: bytes, at: int) -> int | None:
        """Return the index of the line end that ends the present record, if the chunk has it."""
        while at < len(chunk):
            if self._state == self._EDGE:
                is_quote = chunk.startswith(b'"', at)
                self._state = self._QUOTED if is_quote else self._UNQUOTED
                at += is_quote
            elif self._state == self._QUOTED:
                closing = self._CLOSING_QUOTE.match(chunk, at)
                if closing is None:
                    rest = chunk[at:]
                    quotes = len(rest) - len(rest.rstrip(b'"'))
                    self._state = self._EDGE if quotes % 2 else self._QUOTED
                    return None
                at = closing.end()
                self._state = self._UNQUOTED
            else:
                stop = self._stop.search(chunk, at)
                if stop is None:
                    is_edge = chunk.endswith(self._delimiter)
                    self._state = self._EDGE if is_edge else self._UNQUOTED
                    return None
                if stop.end() - stop.start() == 1:
                    self._state = self._EDGE
                    return stop.start()
                at = stop.end()
                self._state = self._QUOTED
        return None
