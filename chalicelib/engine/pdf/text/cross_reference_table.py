"""Cross-reference table of a file with one revision, as Chromium and qpdf write it."""

import re
from typing import Final, NamedTuple

_STARTXREF: Final = re.compile(rb"startxref\n([0-9]+)\n%%EOF\n?\Z")
_TAIL_BYTES: Final = 1024
_XREF_ENTRY_BYTES: Final = 20


class CrossReferenceTable(NamedTuple):
    """Cross-reference table of a document that was saved once."""

    begin: int
    places: list[int]
    """Places in the file of the objects 1, 2 and so on."""
    trailer: bytes


def cross_reference_table(content: bytes) -> CrossReferenceTable:
    """Return the table of a document that was saved once, without object streams."""
    end = _STARTXREF.search(content, max(len(content) - _TAIL_BYTES, 0))
    assert end is not None
    begin = int(end[1])
    first = content.index(b"\n", content.index(b"\n", begin) + 1) + 1
    trailer = content.rindex(b"trailer", begin)
    # The first entry is that of object 0.
    entries = range(first + _XREF_ENTRY_BYTES, trailer, _XREF_ENTRY_BYTES)
    places = [int(content[entry : entry + 10]) for entry in entries]
    return CrossReferenceTable(begin, places, content[trailer : end.start()])
