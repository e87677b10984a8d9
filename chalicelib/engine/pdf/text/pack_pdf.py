"""Packing of a PDF that only the browser has saved: its objects in object streams (decision 53).

A structure tree has many small objects, which repeat each other: packed, they take a tenth. Their
texts are copied as they are, which takes a fifth of the time of opening and saving the document.
Object and cross-reference streams: ISO 32000-1, 7.5.7 and 7.5.8.
"""

import hashlib
import io
import re
import zlib
from array import array
from collections.abc import Container, Sequence
from itertools import accumulate, batched
from typing import Final

from chalicelib.engine.pdf.text.cross_reference_stream import (
    IN_FILE,
    IN_STREAM,
    four_byte_columns,
    predicted_rows,
)
from chalicelib.engine.pdf.text.cross_reference_table import CrossReferenceTable

# The first version with object streams.
_VERSION: Final = b"%PDF-1.5"
_REFERENCED: Final = re.compile(rb"/(?:Root|Info) [0-9]+ 0 R")
_OBJECT_BEGIN: Final = b" 0 obj\n"
_STREAM_END: Final = b"endstream\nendobj\n"
_OBJECT_END: Final = b"\nendobj\n"
# Some readers search a stream from its begin for each of its objects, so that many cost time; more
# of them would save a fortieth.
_OBJECTS_PER_STREAM: Final = 200
_ID_DIGITS: Final = 32


def pack_objects(
    content: bytes, table: CrossReferenceTable, unused: Container[int] = frozenset()
) -> bytes:
    """Return the document with all objects but streams packed, and an id derived from its bytes.

    Streams whose numbers are in `unused` are left out.
    """
    begins = sorted(table.places)
    packed = _PackedFile(_VERSION + content[len(_VERSION) : begins[0]], len(begins) + 1)
    texts: list[bytes] = []
    view = memoryview(content)
    for begin, end in zip(begins, [*begins[1:], table.begin], strict=True):
        if content.endswith(_STREAM_END, begin, end):
            number = int(content[begin : content.index(b" ", begin)])
            if number not in unused:
                packed.add_stream(number, view[begin:end])
        else:
            texts.append(content[begin:end])
    for batch in batched(texts, _OBJECTS_PER_STREAM, strict=False):
        packed.add_objects(batch)
    return packed.finish(b" ".join(_REFERENCED.findall(table.trailer)))


class _PackedFile:
    """File while it is written."""

    def __init__(self, header: bytes, size: int) -> None:
        self._file = io.BytesIO()
        self._file.write(header)
        # Columns of the table, by object number.
        self._kinds, self._ranks = bytearray(size), bytearray(size)
        self._places = array("I", bytes(4 * size))

    def add_stream(self, number: int, text: memoryview) -> None:
        """Write an object that is a stream, with its number."""
        self._kinds[number], self._places[number] = IN_FILE, self._file.tell()
        self._file.write(text)

    def add_objects(self, texts: Sequence[bytes]) -> None:
        """Write a stream of objects that are none."""
        stream = self._begin_stream()
        numbers, bodies = list[int](), list[bytes]()
        for text in texts:
            head, _, body = text.partition(_OBJECT_BEGIN)
            numbers.append(int(head))
            bodies.append(body.removesuffix(_OBJECT_END))
        for rank, number in enumerate(numbers):
            self._kinds[number], self._places[number] = IN_STREAM, stream
            self._ranks[number] = rank
        begins = accumulate((len(body) + 1 for body in bodies), initial=0)
        index = b" ".join(b"%d %d" % each for each in zip(numbers, begins, strict=False)) + b"\n"
        entries = b"/Type /ObjStm /N %d /First %d" % (len(bodies), len(index))
        self._write_stream(stream, entries, index + b"\n".join(bodies))

    def finish(self, references: bytes) -> bytes:
        """Write the table, which names catalog and information; return the file."""
        name = hashlib.sha256(self._file.getbuffer()).hexdigest()[:_ID_DIGITS].encode()
        place, table = self._file.tell(), self._begin_stream()
        columns: list[bytes | bytearray] = [
            self._kinds,
            *four_byte_columns(self._places),
            self._ranks,
        ]
        entries = b"/Type /XRef /Size %d /W [1 4 1] %b /ID [<%b> <%b>] /DecodeParms <<%b>>" % (
            *(len(self._kinds), references, name, name),
            b"/Predictor 12 /Columns %d" % len(columns),
        )
        self._write_stream(table, entries, predicted_rows(columns))
        self._file.write(b"startxref\n%d\n%%%%EOF\n" % place)
        return self._file.getvalue()

    def _begin_stream(self) -> int:
        """Enter a stream of our own that is written next; return its number."""
        self._kinds.append(IN_FILE)
        self._places.append(self._file.tell())
        self._ranks.append(0)
        return len(self._kinds) - 1

    def _write_stream(self, number: int, entries: bytes, content: bytes) -> None:
        packed = zlib.compress(content)
        head = b"%d 0 obj\n<<%b /Filter /FlateDecode /Length %d>> stream\n"
        self._file.write(head % (number, entries, len(packed)))
        self._file.write(packed)
        self._file.write(b"\n" + _STREAM_END)
