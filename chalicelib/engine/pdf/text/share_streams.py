"""Equal streams of a printed PDF made one: the browser writes the picture of each shadow anew.

Only pictures, drawings and patterns are compared: streams to which pages and fonts refer by a place
of their own stay. References keep their length, so the offsets of the cross-reference table stay
true.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.engine.pdf.text.cross_reference_table import CrossReferenceTable

_STREAM_END: Final = b"endstream\nendobj\n"
_STREAM_BEGIN: Final = b">> stream\n"
_OBJECT_BEGIN: Final = b" 0 obj\n"
_XOBJECT: Final = b"/Type /XObject\n"
_PATTERN: Final = b"/PatternType 1\n"
_OWN_PLACE: Final = b"/StructParent"
_MAX_DICTIONARY_BYTES: Final = 1 << 20
# Strings are skipped: their text may look like a reference.
_REFERENCE: Final = re.compile(rb"\((?:[^\\()]|\\.)*+\)|(?<![0-9])([0-9]+) 0 R", re.DOTALL)
# A picture refers to its mask, a drawing to its pictures: each round finds what is equal then.
_MAX_ROUNDS: Final = 4
_MIN_STREAMS: Final = 2


class _ObjectPlace(NamedTuple):
    """Number of an object, and its place in the file."""

    number: int
    begin: int
    end: int


def may_share_streams(content: bytes) -> bool:
    """Tell whether a document may have equal streams: most have no picture, or one."""
    return content.count(_XOBJECT) + content.count(_PATTERN) >= _MIN_STREAMS


def share_streams(content: bytes, table: CrossReferenceTable) -> tuple[bytes, frozenset[int]]:
    """Return the document with references to the first of equal streams, and the unused numbers."""
    candidates = [each for each in _objects(table) if _is_of_shared_kind(content, each)]
    unused: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        replaced = _equal_streams(
            content, [each for each in candidates if each.number not in unused]
        )
        if not replaced:
            break
        unused |= replaced.keys()
        content = _replace_references(content, table, replaced)
    return content, frozenset(unused)


def _equal_streams(content: bytes, candidates: Sequence[_ObjectPlace]) -> Mapping[int, int]:
    """Return the number of the first of equal streams, by the numbers of the others."""
    view = memoryview(content)
    by_size: dict[int, list[tuple[int, memoryview]]] = {}
    for number, begin, end in candidates:
        text = view[content.index(_OBJECT_BEGIN, begin) : end]
        by_size.setdefault(len(text), []).append((number, text))
    replaced: dict[int, int] = {}
    for streams in by_size.values():
        if len(streams) < _MIN_STREAMS:
            continue
        first: dict[bytes, int] = {}
        for number, text in streams:
            original = first.setdefault(hashlib.sha256(text).digest(), number)
            if original != number:
                replaced[number] = original
    return replaced


def _is_of_shared_kind(content: bytes, place: _ObjectPlace) -> bool:
    if not content.endswith(_STREAM_END, place.begin, place.end):
        return False
    limit = min(place.end, place.begin + _MAX_DICTIONARY_BYTES)
    dictionary_end = content.find(_STREAM_BEGIN, place.begin, limit)
    if dictionary_end < 0:
        return False

    def has(part: bytes) -> bool:
        return content.find(part, place.begin, dictionary_end) >= 0

    return (has(_XOBJECT) or has(_PATTERN)) and not has(_OWN_PLACE)


def _replace_references(
    content: bytes, table: CrossReferenceTable, replaced: Mapping[int, int]
) -> bytes:
    def replacement(match: re.Match[bytes]) -> bytes:
        original = None if match[1] is None else replaced.get(int(match[1]))
        if original is None:
            return match[0]
        return (b"%d 0 R" % original).rjust(len(match[0]))

    parts, copied_to = list[bytes](), 0
    for _, begin, end in _objects(table):
        dictionary_end = end
        if content.endswith(_STREAM_END, begin, end):
            dictionary_end = content.index(_STREAM_BEGIN, begin, end)
        parts.append(content[copied_to:begin])
        parts.append(_REFERENCE.sub(replacement, content[begin:dictionary_end]))
        copied_to = dictionary_end
    return b"".join((*parts, content[copied_to:]))


def _objects(table: CrossReferenceTable) -> Iterator[_ObjectPlace]:
    """Yield the place of each object, in the order of the file."""
    begins = sorted((place, number) for number, place in enumerate(table.places, 1))
    ends = [*(place for place, _ in begins[1:]), table.begin]
    for (begin, number), end in zip(begins, ends, strict=True):
        yield _ObjectPlace(number, begin, end)
