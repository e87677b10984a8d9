"""Byte-for-byte rewriting of Chromium's PDF: the offsets of its cross-reference table stay true.

Opening and saving a document of many pages takes a good part of the time of its printing; this does
not (decision 53).
"""

import datetime as dt
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from chalicelib.engine.pdf.text.cross_reference_table import CrossReferenceTable

_DATE: Final = re.compile(rb"/(Creation|Mod)Date \(D:[0-9]{14}[+-][0-9]{2}'[0-9]{2}'\)")
_ORIGIN_SUFFIX: Final = b".document.invalid"
# The host of a document's origin, with the rest of its PDF string and the closing bracket.
_ORIGIN_IN_STRING: Final = re.compile(
    rb"\.document\.invalid(?<=[0-9a-f]{24}\.document\.invalid)(?:[ -'*-\[\]-~]++|\\.)*+(\)?)"
)
# An origin as browser/tab/origin.py makes it, also percent-encoded as a parameter of another URL.
# Reversed, so that each search begins at the fixed part of the host.
_REVERSED_ORIGIN: Final = re.compile(rb"dilavni\.tnemucod\.[0-9a-f]{24}(?:(?://:|F2%F2%A3%)sptth)?")
_MAX_BYTES_BEFORE_NAME: Final = len(b"https%3A%2F%2F") + 24
# The ids of header cells, in each place that Chromium writes them: the /ID of the cell, the
# /Headers of other cells and the /IDTree. They go on counting within one renderer process.
_HEADER_CELL_ID: Final = re.compile(
    rb"\(node(?:(?<=/ID \(node)|(?<=\[\(node)|(?<=\) \(node)|(?<= R \(node))([0-9]{8})\)"
)
_ROOT: Final = re.compile(rb"/Root ([0-9]+) 0 R")
_PAGES: Final = re.compile(rb"/Pages ([0-9]+) 0 R")
_COUNT: Final = re.compile(rb"/Count ([0-9]+)")
_ELEMENT_TYPE: Final = re.compile(rb"<</Type /StructElem\n/S (/\w+)\n")
_LIST_ITEM: Final = re.compile(rb"<</Type /StructElem\n/S /LI\n")
_FIGURE: Final = re.compile(rb"<</Type /StructElem\n/S /Figure\n")
_ANNOTATION_REFERENCE: Final = re.compile(rb"/Type /OBJR\n")
_OBJECT_BEGIN: Final = b" 0 obj\n"
_STREAM_BEGIN: Final = b" stream\n"
_STREAM_END: Final = b"\nendstream\nendobj\n"
# Pages with links have them before their content.
_CONTENTS: Final = re.compile(
    rb"/MediaBox \[[0-9. ]{7,80}\]\n(?:/Annots \[[0-9R ]*+\]\n)?/Contents ([0-9]{1,9}) 0 R"
)
_MAX_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class StructureIndex:
    """Types of a structure tree, and object numbers of some elements in reading order.

    Elements come before their parents. Bytes within streams may look like an element: the numbers
    are candidates, to be checked once the document is opened.
    """

    types: frozenset[str]
    list_items: tuple[int, ...]
    figures: tuple[int, ...]
    annotation_parents: tuple[int, ...]
    """Elements that annotations belong to: links."""


def make_deterministic(content: bytes, created_at: dt.datetime) -> bytes:
    """Return the document without the bytes that differ from one printing to the next.

    Its dates become `created_at`, its structure ids count from 1, and links to its own origin
    become relative. Every replacement keeps its length.
    """
    date = f"{created_at.astimezone(dt.UTC):%Y%m%d%H%M%S}+00'00'".encode()
    content = _DATE.sub(rb"/\g<1>Date (D:%s)" % date, content, count=2)
    if _ORIGIN_SUFFIX in content:
        content = _make_links_relative(content)
    # Every other part is the number of a cell. There are thousands, so the parts are joined once.
    parts = _HEADER_CELL_ID.split(content)
    names = {old: b"(node%08d)" % new for new, old in enumerate(sorted(set(parts[1::2])), 1)}
    parts[1::2] = map(names.__getitem__, parts[1::2])
    return b"".join(parts)


def _make_links_relative(content: bytes) -> bytes:
    """Return the document without origins in its strings; blanks fill the freed bytes."""
    parts: list[bytes] = []
    copied_to = 0
    for match in _ORIGIN_IN_STRING.finditer(content):
        if match[1]:
            begin = max(copied_to, match.start() - _MAX_BYTES_BEFORE_NAME)
            string = content[begin : match.end()]
            relative = _REVERSED_ORIGIN.sub(b"", string[::-1])[::-1]
            parts += content[copied_to:begin], relative.ljust(len(string))
            copied_to = match.end()
    return b"".join((*parts, content[copied_to:]))


def page_count(content: bytes, table: CrossReferenceTable) -> int:
    """Return the number of pages of a document that only the browser has saved."""
    root = _ROOT.search(table.trailer)
    assert root is not None

    def referenced_number(form: re.Pattern[bytes], object_number: int) -> int:
        match = form.search(content, table.places[object_number - 1])
        assert match is not None
        return int(match[1])

    return referenced_number(_COUNT, referenced_number(_PAGES, int(root[1])))


def page_contents(content: bytes, max_bytes: int) -> Iterator[bytes]:
    """Yield the beginnings of the pages' content streams, in their order."""
    for match in _CONTENTS.finditer(content):
        start = content.find(b"\n%b%b" % (match[1], _OBJECT_BEGIN))
        start = content.find(_STREAM_BEGIN, start) + len(_STREAM_BEGIN)
        end = content.find(_STREAM_END, start)
        try:
            yield zlib.decompressobj().decompress(content[start:end], max_bytes)
        except zlib.error:
            yield b""


def structure_index(content: bytes) -> StructureIndex:
    """Return the index of the structure tree, found by text search.

    To visit each element with pikepdf takes far longer.
    """
    return StructureIndex(
        types=frozenset(name.decode() for name in set(_ELEMENT_TYPE.findall(content))),
        list_items=tuple(_object_numbers(content, _LIST_ITEM)),
        figures=tuple(_object_numbers(content, _FIGURE)),
        annotation_parents=tuple(dict.fromkeys(_object_numbers(content, _ANNOTATION_REFERENCE))),
    )


def _object_numbers(content: bytes, pattern: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the number of each object that contains the pattern."""
    previous_match = 0
    for match in pattern.finditer(content):
        end = content.rfind(_OBJECT_BEGIN, previous_match, match.start())
        previous_match = match.start()
        if end < 0:  # a second match in the same object, or no object at all
            continue
        number = content[max(end - _MAX_DIGITS, 0) : end].rpartition(b"\n")[2]
        if number.isdigit():
            yield int(number)
