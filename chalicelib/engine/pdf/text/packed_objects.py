"""Objects of a file with object streams, as the text of a file without (decision 53)."""

import re
import zlib
from array import array
from itertools import pairwise
from typing import Final, NamedTuple

from chalicelib.engine.pdf.text.cross_reference_stream import (
    IN_FILE,
    IN_STREAM,
    four_byte_columns,
    plain_rows,
    predicted_rows,
)
from chalicelib.engine.pdf.text.split_streams import STREAM_MARK, split_streams

# More is left to qpdf. A thousand pages have a fifth of it.
MAX_UNPACKED_BYTES: Final = 64 << 20
_MAX_OBJECTS: Final = 1_000_000
_MAX_COLUMNS: Final = 4
_NAME: Final = re.compile(rb"/([^\s/<>\[\]()]+)")
_END: Final = b"endobj\n"
_TABLE_NAMES: Final = frozenset(
    b"Type XRef Size W Root Info ID Filter FlateDecode Length DecodeParms Predictor Columns".split()
)
_STREAM_NAMES: Final = frozenset(b"Type ObjStm N First Filter FlateDecode Length".split())
_TABLE: Final = re.compile(rb"([1-9][0-9]{0,6}) 0 obj\s*<<[^()]*>>\s*stream")
_SIZE: Final = re.compile(rb"/Size ([0-9]{1,7})\b")
_WIDTHS: Final = re.compile(rb"/W \[ ?1 ([1-4]) ([0-4]) ?\]")
_UP_PREDICTOR: Final = re.compile(rb"/Predictor 12\b")
_OBJECT: Final = re.compile(rb"([1-9][0-9]{0,6}) 0 obj\b")
_COUNT: Final = re.compile(rb"/N ([0-9]{1,7})\b")
_FIRST: Final = re.compile(rb"/First ([0-9]{1,9})\b")
_INDEX: Final = re.compile(rb"[0-9 \n]*\Z")


class ObjectTexts(NamedTuple):
    """Texts of objects, with a mark for the content of each stream, and numbers in their order."""

    text: bytes
    streams: list[bytes]
    order: list[int]
    trailer: bytes


def read_packed_objects(content: bytes, begin: int, table_at: int, end: int) -> ObjectTexts | None:
    """Return the objects of a file whose cross-reference stream begins at `table_at`.

    None unless each entry is of one of these objects, and of all of them.
    """
    table = split_streams(content[table_at:end])
    parts = split_streams(content[begin:table_at])
    if table is None or parts is None or len(table[1]) != 1:
        return None
    trailer, (packed_rows,) = table
    size, number = _SIZE.search(trailer), _TABLE.match(trailer)
    if size is None or number is None or not _has_only(trailer, _TABLE_NAMES):
        return None
    objects = _PackedObjects(int(size[1]))
    is_read = objects.read(*parts, begin) and objects.enter(int(number[1]), IN_FILE, table_at)
    if not is_read or not objects.have_table(trailer, packed_rows, len(content)):
        return None
    return ObjectTexts(_END.join([*objects.texts, b""]), objects.streams, objects.order, trailer)


class _PackedObjects:
    """Objects of a file, and the entries that its table has for them."""

    def __init__(self, size: int) -> None:
        self.texts: list[bytes] = []
        self.streams: list[bytes] = []
        self.order: list[int] = []
        self._unpacked_bytes = 0
        size = min(size, _MAX_OBJECTS)
        self._kinds = bytearray(size)
        self._places, self._ranks = array("I", bytes(4 * size)), array("I", bytes(4 * size))

    def enter(self, number: int, kind: int, place: int, rank: int = 0) -> bool:
        """Note an entry; tell whether there is none yet for this number."""
        if not 0 < number < len(self._kinds) or self._kinds[number]:
            return False
        self._kinds[number], self._places[number], self._ranks[number] = kind, place, rank
        return True

    def read(self, text: bytes, streams: list[bytes], place: int) -> bool:
        """Read the objects of a file; tell whether nothing else is in it."""
        texts, contents = text.split(_END), iter(streams)
        if texts.pop().strip():
            return False
        for each in texts:
            head = _OBJECT.match(each)
            if head is None or not self.enter(int(head[1]), IN_FILE, place):
                return False
            place += len(each) + len(_END)
            if STREAM_MARK in each:
                content = next(contents)
                place += len(content) - len(STREAM_MARK)
                if b"/ObjStm" in each:
                    if not self._unpack(int(head[1]), each, content):
                        return False
                    continue
                self.streams.append(content)
            self.texts.append(each)
            self.order.append(int(head[1]))
        return True

    def _unpack(self, stream: int, entries: bytes, packed: bytes) -> bool:
        """Read the objects of an object stream; tell whether they are clearly such."""
        count, first = _COUNT.search(entries), _FIRST.search(entries)
        content = _inflate(packed, MAX_UNPACKED_BYTES - self._unpacked_bytes)
        if count is None or first is None or not _has_only(entries, _STREAM_NAMES):
            return False
        # A stream cannot be packed, but in the text of a file this word begins one.
        if content is None or b"stream" in content or STREAM_MARK in content:
            return False
        self._unpacked_bytes += len(content)
        index = content[: int(first[1])]
        places = [int(place) for place in index.split()] if _INDEX.match(index) else []
        if not places or len(places) != 2 * int(count[1]):
            return False
        numbers, begins = places[::2], [int(first[1]) + place for place in places[1::2]]
        if begins[0] != int(first[1]) or begins != sorted(begins):
            return False
        for number, (begin, end) in zip(numbers, pairwise([*begins, len(content)]), strict=True):
            self.texts.append(b"%d 0 obj\n%b\n" % (number, content[begin:end].rstrip()))
        self.order += numbers
        return all(
            self.enter(number, IN_STREAM, stream, rank) for rank, number in enumerate(numbers)
        )

    def have_table(self, entries: bytes, packed: bytes, file_size: int) -> bool:
        """Tell whether a cross-reference stream has just the entries of these objects."""
        widths = _WIDTHS.search(entries)
        if widths is None:
            return False
        place_width, rank_width = int(widths[1]), int(widths[2])
        if (
            max(file_size, len(self._kinds)) >> 8 * place_width
            or max(self._ranks) >> 8 * rank_width
        ):
            return False
        places, ranks = four_byte_columns(self._places), four_byte_columns(self._ranks)
        columns = [
            bytes(self._kinds),
            *places[_MAX_COLUMNS - place_width :],
            *ranks[_MAX_COLUMNS - rank_width :],
        ]
        if b"/DecodeParms" not in entries:
            rows = plain_rows(columns)
        elif _UP_PREDICTOR.search(entries) and b"/Columns %d" % len(columns) in entries:
            rows = predicted_rows(columns)
        else:
            return False
        return _inflate(packed, len(rows)) == rows


def _has_only(entries: bytes, names: frozenset[bytes]) -> bool:
    """Tell whether a stream has no other names, and is deflated."""
    return b"/Filter /FlateDecode" in entries and names.issuperset(_NAME.findall(entries))


def _inflate(packed: bytes, max_bytes: int) -> bytes | None:
    """Return the content of a stream; None if it is damaged or larger."""
    inflate = zlib.decompressobj()
    try:
        content = inflate.decompress(packed, max(max_bytes, 0) + 1)
    except zlib.error:
        return None
    return content if inflate.eof and len(content) <= max_bytes else None
