"""Merge of plain documents by their text.

The numbers of objects and the keys of the parent tree get the place of their document as their last
digits: `12 0 R` becomes `12007 0 R`, by one replacement of bytes for a whole document. A few new
objects join the documents; their numbers have one digit.
"""

import hashlib
import io
import zlib
from array import array
from collections.abc import Sequence
from itertools import accumulate, count, pairwise
from typing import Final

from chalicelib.engine.pdf.merging.plain_part import (
    IDS,
    OUTLINE,
    PAGES,
    PARENTS,
    STRUCTURE,
    NotPlainError,
    PlainPart,
)
from chalicelib.engine.pdf.text.cross_reference_stream import four_byte_columns, plain_rows
from chalicelib.engine.pdf.text.plain_pdf import PlainPdf

_CATALOG: Final = 1
_TABLE: Final = 7
_MAX_OBJECT_NUMBER: Final = 8_000_000
_END: Final = b"endobj\n"
_ID_DIGITS: Final = 32
# The table is one repetition; more effort makes it no smaller.
_FAST: Final = 1
_MIN_VERSION: Final = 5


def merge_plain(documents: Sequence[PlainPdf]) -> tuple[bytes, int] | None:
    """Return the merged file and its number of pages; None if it takes more than text to merge."""
    width = len(str(len(documents) - 1))
    step, numbers = 10**width, max(max(document.objects) for document in documents) + 1
    if numbers * step > _MAX_OBJECT_NUMBER:
        return None
    try:
        parts = [PlainPart(document, place, width) for place, document in enumerate(documents)]
    except NotPlainError:
        return None
    if len({(part.catalog, bool(part.elements)) for part in parts}) > 1:
        return None
    output = _Output(max(document.version for document in documents), numbers, step)
    _link_outlines(parts)
    for place, part in enumerate(parts):
        output.add_part(part, place)
    return output.finish(parts), sum(len(part.pages) for part in parts)


def _link_outlines(parts: Sequence[PlainPart]) -> None:
    outlines = [(part, part.outline) for part in parts if part.outline is not None]
    for (before, ending), (after, beginning) in pairwise(outlines):
        before.insert(ending.last, b" /Next " + beginning.first)
        after.insert(beginning.first, b" /Prev " + ending.last)


class _Output:
    """File while it is written."""

    def __init__(self, version: int, numbers: int, step: int) -> None:
        header = b"%%PDF-1.%d\n%%\xbf\xf7\xa2\xfe\n" % max(version, _MIN_VERSION)
        # It grows in place, and hands its bytes over without a copy.
        self._file, self._length, self._digest = io.BytesIO(), 0, hashlib.sha256()
        self._append(header)
        # Places in the file by object number.
        self._places, self._step = array("I", bytes(4 * numbers * step)), step
        self._empty = array("I", bytes(4 * numbers))
        self._shared: dict[bytes, bytes] = {}

    def add_part(self, part: PlainPart, place: int) -> None:
        """Write the objects of a document."""
        objects = part.objects(self._shared)
        begins = accumulate(map(len, objects.values()), initial=self._length)
        places = self._empty[:]
        for number, begin, ends in zip(objects, begins, count(0, len(_END)), strict=False):
            places[number] = begin + ends
        self._places[place :: self._step] = places
        self._append(_END.join([*objects.values(), b""]))

    def finish(self, parts: Sequence[PlainPart]) -> bytes:
        """Write the objects that join the documents; return the file."""
        first = parts[0]
        catalog = first.catalog + first.metadata + b" /Pages %d 0 R" % PAGES
        pages = [page for part in parts for page in part.pages]
        self._add(PAGES, b"/Type /Pages /Count %d /Kids [%b]" % (len(pages), b" ".join(pages)))
        if first.elements:
            catalog += b" /StructTreeRoot %d 0 R" % STRUCTURE
            self._add_structure(parts)
        outlines = [part.outline for part in parts if part.outline is not None]
        if outlines:
            catalog += b" /Outlines %d 0 R" % OUTLINE
            ends = outlines[0].first, outlines[-1].last, sum(each.shown for each in outlines)
            self._add(OUTLINE, b"/Type /Outlines /First %b /Last %b /Count %d" % ends)
        self._add(_CATALOG, catalog)
        return self._with_table(first.info)

    def _add_structure(self, parts: Sequence[PlainPart]) -> None:
        elements = b" ".join(element for part in parts for element in part.elements)
        parents = sorted(entry for part in parts for entry in part.parents)
        ids = sorted(entry for part in parts for entry in part.ids)
        root = b"/Type /StructTreeRoot /K [%b] /ParentTree %d 0 R" % (elements, PARENTS)
        if parents:
            root += b" /ParentTreeNextKey %d" % (parents[-1][0] + 1)
        self._add(PARENTS, b"/Nums [%b]" % b" ".join(b"%d %b" % entry for entry in parents))
        if ids:
            root += b" /IDTree %d 0 R" % IDS
            self._add(IDS, b"/Names [%b]" % b" ".join(b"(%b) %b" % entry for entry in ids))
        self._add(STRUCTURE, root)

    def _add(self, number: int, entries: bytes) -> None:
        self._write(number, b"<< %b >>" % entries)

    def _write(self, number: int, body: bytes) -> None:
        text = b"%d 0 obj\n%b\nendobj\n" % (number, body)
        self._places[number] = self._length
        self._append(text)

    def _append(self, text: bytes) -> None:
        self._length += self._file.write(text)
        self._digest.update(text)

    def _with_table(self, info: bytes) -> bytes:
        name = self._digest.hexdigest()[:_ID_DIGITS].encode()
        table_at = self._places[_TABLE] = self._length
        # Whether there is an object, and its place.
        columns = [bytes(map(bool, self._places)), *four_byte_columns(self._places)]
        rows = zlib.compress(plain_rows(columns), _FAST)
        head = (
            b"<< /Type /XRef /Size %d /W [1 4 0] /Root %d 0 R%b /ID [<%b> <%b>] "
            b"/Filter /FlateDecode /Length %d >>\nstream\n"
        ) % (len(self._places), _CATALOG, info, name, name, len(rows))
        self._write(_TABLE, head + rows + b"\nendstream")
        self._append(b"startxref\n%d\n%%%%EOF\n" % table_at)
        return self._file.getvalue()
