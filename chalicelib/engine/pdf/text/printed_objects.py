"""Objects of Chromium's PDF as texts: some are read, and replaced by longer or shorter ones.

As `chromium_pdf`, this spares opening the document.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.pdf.text.cross_reference_table import CrossReferenceTable

_BEGIN: Final = b" 0 obj\n"
_END: Final = b"\nendobj\n"
_SIZE: Final = re.compile(rb"/Size [0-9]+")
_ESCAPE: Final = re.compile(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPED: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_UTF16_MARK: Final = b"\xfe\xff"
# What a string in parentheses needs no mark of encoding for.
_PLAIN: Final = re.compile(r"[ -~]*")
TEXT_STRING: Final = rb"(?:\((?:[^\\()]|\\.)*+\)|<[0-9A-Fa-f\s]*+>)"


class PrintedObjects:
    """Objects of a document that only the browser has saved, by number."""

    def __init__(self, content: bytes, table: CrossReferenceTable) -> None:
        """Read them through the table."""
        self._content, self._table = content, table
        self._begins = sorted(table.places)

    @property
    def next_number(self) -> int:
        """Return the number of a first new object."""
        return len(self._table.places) + 1

    def number_at(self, place: int) -> int:
        """Return the number of the object that has this place of the file in it."""
        begin = self._begins[bisect_right(self._begins, place) - 1]
        return int(self._content[begin : self._content.index(b" ", begin)])

    def text_of(self, number: int) -> bytes:
        """Return the text of an object; nothing if there is none."""
        if not 0 < number <= len(self._table.places):
            return b""
        begin, end = self._range(number)
        return self._content[begin:end].partition(_BEGIN)[2].removesuffix(_END)

    def with_texts(self, texts: Mapping[int, bytes]) -> bytes:
        """Return the document with other texts of some objects, and with new ones.

        The numbers of new ones follow each other from `next_number` on.
        """
        if not texts:
            return self._content
        places, new = self._table.places, sorted(each for each in texts if each >= self.next_number)
        parts, ends, growths, copied_to = list[bytes](), list[int](), list[int](), 0
        for number in sorted(texts.keys() - new, key=lambda number: places[number - 1]):
            begin, end = self._range(number)
            text = _object(number, texts[number])
            parts += self._content[copied_to:begin], text
            ends.append(end)
            growths.append(len(text) - (end - begin))
            copied_to = end
        parts.append(self._content[copied_to : self._table.begin])
        shifts = [0, *accumulate(growths)]
        moved = [each + shifts[bisect_right(ends, each)] for each in places]
        added = [_object(number, texts[number]) for number in new]
        begin = self._table.begin + shifts[-1]
        *new_places, begin = accumulate(map(len, added), initial=begin)
        return b"".join((*parts, *added)) + self._end([*moved, *new_places], begin)

    def _range(self, number: int) -> tuple[int, int]:
        begin = self._table.places[number - 1]
        after = bisect_right(self._begins, begin)
        return begin, self._begins[after] if after < len(self._begins) else self._table.begin

    def _end(self, places: list[int], begin: int) -> bytes:
        head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        rows = b"".join(b"%010d 00000 n \n" % place for place in places)
        trailer = _SIZE.sub(b"/Size %d" % (len(places) + 1), self._table.trailer, count=1)
        return b"%b%b%bstartxref\n%d\n%%%%EOF\n" % (head, rows, trailer, begin)


def _object(number: int, text: bytes) -> bytes:
    return b"%d%b%b%b" % (number, _BEGIN, text, _END)


def text_of_string(string: bytes) -> str:
    """Return the text of a string as it stands in a PDF (ISO 32000-1, 7.9.2.2)."""
    if string.startswith(b"<"):
        digits = b"".join(string[1:-1].split())
        raw = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    else:
        raw = _ESCAPE.sub(_unescape, string[1:-1])
    if raw.startswith(_UTF16_MARK):
        return raw[2:].decode("utf-16-be", "replace")
    return raw.decode("latin-1")


def string_of_text(text: str) -> bytes:
    """Return a text as the string of a PDF."""
    if _PLAIN.fullmatch(text):
        return b"(%b)" % re.sub(rb"([\\()])", rb"\\\1", text.encode())
    wide = _UTF16_MARK + replace_lone_surrogates(text).encode("utf-16-be")
    return b"<%b>" % wide.hex().upper().encode()


def _unescape(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes([int(found[1], 8) & 0xFF])
    return _ESCAPED.get(found[2], found[2])
