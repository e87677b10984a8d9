"""Objects of a PDF as bytes: object streams, streams, and the cross-reference stream at the end."""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import batched
from struct import Struct as BinaryStruct
from typing import Final, NamedTuple

from chalicelib.engine.pdf.appending.merge_state import CATALOG, INFO, OFFSET, RUN, MergeState

_HEADER: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_OBJECTS_PER_STREAM: Final = 512
_COMPRESSION_LEVEL: Final = 6
_DIGEST_BYTES: Final = 16
# Entry of the cross-reference stream: type, offset or number of the object stream, index in it.
_ENTRY: Final = BinaryStruct(">BIH")
_FREE, _PLAIN, _COMPRESSED = range(3)
# PNG predictor "up" (ISO 32000-1, 7.4.4.4): a row is stored as its difference to the one above.
# Within an object stream only the index grows, so the differences are equal and need no space.
_UP: Final = b"\2"
_NEXT_INDEX: Final = _UP + bytes(_ENTRY.size - 1) + b"\1"
_NEXT_HIGH_INDEX: Final = _UP + bytes(_ENTRY.size - 2) + b"\1\1"
_INDEX_PERIOD: Final = 256


class PlainObject(NamedTuple):
    """Numbered object without a stream; it is written into an object stream."""

    number: int
    text: bytes


class StreamObject(NamedTuple):
    """Numbered object with a stream, whose dictionary has its `Length`."""

    number: int
    dictionary: bytes
    content: bytes


def write_objects(
    state: MergeState, plain: Sequence[PlainObject], streams: Sequence[StreamObject]
) -> bytes:
    """Return the objects as the next bytes of the file, and note their places in the state."""
    parts = [] if state.size else [_HEADER]
    position = state.size + len(b"".join(parts))
    for stream in (*streams, *_object_streams(state, plain)):
        state.offsets += OFFSET.pack(stream.number, position)
        part = b"%d 0 obj\n%b\nstream\n%b\nendstream\nendobj\n" % stream
        position += len(part)
        parts.append(part)
    written = b"".join(parts)
    state.size = position
    state.digest = hashlib.sha256(state.digest + written).digest()[:_DIGEST_BYTES]
    return written


def _object_streams(state: MergeState, plain: Sequence[PlainObject]) -> Iterator[StreamObject]:
    for objects in batched(sorted(plain), _OBJECTS_PER_STREAM, strict=False):
        number = state.take_number()
        _note_runs(state, objects, number)
        index, position = [], 0
        for each in objects:
            index.append(b"%d %d" % (each.number, position))
            position += len(each.text) + 1
        head = b" ".join(index) + b"\n"
        body = zlib.compress(head + b"\n".join(each.text for each in objects), _COMPRESSION_LEVEL)
        dictionary = b"<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>"
        yield StreamObject(number, dictionary % (len(objects), len(head), len(body)), body)


def _note_runs(state: MergeState, objects: Sequence[PlainObject], container: int) -> None:
    first = 0
    for index in range(1, len(objects) + 1):
        is_end = index == len(objects) or objects[index].number != objects[index - 1].number + 1
        if is_end:
            run = (objects[first].number, index - first, container, first)
            _list_that_ends_before(state, run[0]).extend(RUN.pack(*run))
            first = index


def _list_that_ends_before(state: MergeState, number: int) -> bytearray:
    """Return a list of runs that the number continues.

    Numbers that were taken for later begin a list of their own, so that the lists can be merged
    without a sort of all runs.
    """
    for runs in state.runs:
        if RUN.unpack_from(runs, len(runs) - RUN.size)[0] < number:
            return runs
    state.runs.append(bytearray())
    return state.runs[-1]


def write_trailer(state: MergeState) -> bytes:
    """Return the cross-reference stream, which is the trailer as well, and the end of the file."""
    number, start = state.take_number(), state.size
    state.offsets += OFFSET.pack(number, start)
    body = b"".join(_compressed_table(state))
    digest = state.digest.hex().encode()
    dictionary = (
        b"<< /Type /XRef /Size %d /W [ 1 4 2 ] /Root %d 0 R /Info %d 0 R /ID [ <%b> <%b> ] "
        b"/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns %d >> /Length %d >>"
    ) % (state.next_number, CATALOG, INFO, digest, digest, _ENTRY.size, len(body))
    end = b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % start
    return b"%d 0 obj\n%b\nstream\n%b%b" % (number, dictionary, body, end)


def _compressed_table(state: MergeState) -> Iterator[bytes]:
    """Yield the compressed rows of all objects, in order of their numbers."""
    compressor = zlib.compressobj(_COMPRESSION_LEVEL)
    above = bytes(_ENTRY.size)
    next_number = 0
    for number, count, entry in _sections(state):
        assert number == next_number, (number, next_number)
        next_number += count
        row = _ENTRY.pack(*entry)
        difference = bytes((new - old) & 0xFF for new, old in zip(row, above, strict=True))
        _, _, index = entry
        following = (
            _NEXT_INDEX if each % _INDEX_PERIOD else _NEXT_HIGH_INDEX
            for each in range(index + 1, index + count)
        )
        yield compressor.compress(_UP + difference + b"".join(following))
        above = _ENTRY.pack(*entry[:2], index + count - 1)
    yield compressor.flush()


def _sections(state: MergeState) -> Iterator[tuple[int, int, tuple[int, int, int]]]:
    """Yield first number, count and first entry of objects with consecutive entries."""
    yield 0, 1, (_FREE, 0, 0xFFFF)
    plain = (
        (number, 1, (_PLAIN, offset, 0)) for number, offset in OFFSET.iter_unpack(state.offsets)
    )
    yield from merge(plain, *map(_run_sections, state.runs))


def _run_sections(runs: bytearray) -> Iterator[tuple[int, int, tuple[int, int, int]]]:
    for first, count, container, index in RUN.iter_unpack(runs):
        yield first, count, (_COMPRESSED, container, index)
