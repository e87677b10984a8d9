"""Plain documents: PDFs whose bytes can be joined without parsing their objects.

Most documents of a merge are such: one cross-reference table, objects in order or packed, and a
catalog with pages, tags, outline and language only. All other documents are left to qpdf
(`joined_pdf`).
"""

import re
from typing import Final, NamedTuple

from chalicelib.engine.pdf.text.packed_objects import ObjectTexts, read_packed_objects
from chalicelib.engine.pdf.text.split_streams import STREAM_MARK, split_streams

_HEADER: Final = re.compile(rb"%PDF-1\.([0-7])[\r\n]")
_END: Final = re.compile(rb"startxref\r?\n([0-9]{1,10})\r?\n%%EOF\s*\Z")
_TABLE: Final = re.compile(rb"xref\n0 ([0-9]{1,7})\n")
_TABLE_HEAD: Final = b"0000000000 65535 f"
_ENTRY_BYTES: Final = 20
_ENTRIES: Final = re.compile(rb"([0-9]{10}) 00000 n")
_FIRST_OBJECT: Final = re.compile(rb"[1-9][0-9]* 0 obj\b")
# An escaped parenthesis begins none, or an endless string would be read from each.
_STRING: Final = re.compile(rb"(?<!\\)\((?:[^\\()]++|\\.)*+\)", re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"()<>[]%"))
_BLANKS: Final = bytes.maketrans(b"\0\t\n\f\r", b" " * 5)
_IN_STRINGS: Final = (b" 0 R", b"/Struct", b"/Parent ", b"/P ", b"/ID", b"/Headers", b"endobj")
# Words that objects have. qpdf refuses files with others, or with numbers that no reader takes.
_WORD: Final = re.compile(rb"[^A-Za-z]|(?:obj|endobj|stream|endstream|R|true|false|null)\b")
# Shapes of tokens, of which a document has few: digits are all alike, and some ends are blanks.
_SHAPES: Final = bytes.maketrans(b"0123456789.\t\n\v\f\r])>", b"0" * 11 + b" " * 8)
_ENDLESS_NUMBER: Final = b"0" * 32
_TRAILER_KEYS: Final = frozenset((b"Size", b"Root", b"Info", b"ID"))
_NAME: Final = re.compile(rb"/([^\s/<>\[\]()]+)")
_ROOT: Final = re.compile(rb"/Root ([0-9]+) 0 R")


class PlainPdf(NamedTuple):
    """Objects of a plain document.

    `text` are the objects, each with a line `endobj`, with a mark for the content of each stream.
    """

    version: int
    text: bytes
    streams: dict[int, bytes]
    """Contents of the streams by number."""
    objects: dict[int, bytes]
    """Texts of the objects by number, in their order."""
    trailer: bytes
    root: int

    def body_of(self, number: int) -> bytes:
        """Return the text of an object; nothing if there is none."""
        return self.objects.get(number, b"").partition(b" 0 obj")[2]


def read_plain_pdf(content: bytes) -> PlainPdf | None:
    """Return a document that is plain, else None."""
    header, end = _HEADER.match(content), _END.search(content, max(len(content) - 64, 0))
    first = _FIRST_OBJECT.search(content, 0, 64)
    if header is None or end is None or first is None:
        return None
    table = _TABLE.match(content, int(end[1]))
    if table is None:
        found = read_packed_objects(content, first.start(), int(end[1]), end.start())
    else:
        found = _read_objects(content, first.start(), table, end.start())
    if found is None or not _is_plain_text(found.text):
        return None
    objects = _split_objects(found.text, found.order)
    root = _ROOT.search(found.trailer)
    if objects is None or root is None:
        return None
    numbers = [number for number, part in objects.items() if STREAM_MARK in part]
    if len(numbers) != len(found.streams):
        return None
    contents = dict(zip(numbers, found.streams, strict=True))
    version, trailer = int(header[1]), found.trailer
    return PlainPdf(version, found.text, contents, objects, trailer, int(root[1]))


def _read_objects(
    content: bytes, begin: int, table: re.Match[bytes], end: int
) -> ObjectTexts | None:
    """Return the objects of a file with a table as text."""
    trailer_at = content.rfind(b"trailer", table.start(), end)
    if trailer_at < 0:
        return None
    order = _object_order(content[table.end() : trailer_at], int(table[1]) - 1)
    trailer = content[trailer_at:end]
    parts = split_streams(content[begin : table.start()])
    if order is None or parts is None or not set(_NAME.findall(trailer)) <= _TRAILER_KEYS:
        return None
    return ObjectTexts(*parts, order, trailer)


def _object_order(table: bytes, count: int) -> list[int] | None:
    """Return the numbers of the objects in the order of the file."""
    entries = table.rstrip()
    if not entries.startswith(_TABLE_HEAD):
        return None
    # The first one, which is free, is the head.
    begins = _ENTRIES.findall(entries)
    if len(begins) != count or len(entries) + 2 < (count + 1) * _ENTRY_BYTES:
        return None
    # As texts of ten digits, which have the order of the numbers.
    return sorted(range(1, count + 1), key=(b"", *begins).__getitem__)


def _is_plain_text(text: bytes) -> bool:
    """Tell whether each reference is `<number> 0 R`, and no string looks like one."""
    flat = text.translate(_BLANKS)
    strings = b"".join(_STRING.findall(text))
    # One pass over the whole text, and short ones over what is left of it.
    outer, inner = text.translate(None, _NO_BRACKETS), strings.translate(None, _NO_BRACKETS)
    if b"%" in outer or b"  0 R" in flat or any(each in strings for each in _IN_STRINGS):
        return False
    shapes = _STRING.sub(b"", text).translate(_SHAPES)
    if _ENDLESS_NUMBER in shapes or not all(map(_WORD.match, set(shapes.split()))):
        return False
    references = flat.count(b" R") - strings.translate(_BLANKS).count(b" R")
    return (
        outer.count(b"(") == inner.count(b"(")
        and text.count(b" 0 R") == references
        and outer.count(b"<<") - outer.count(b">>") == inner.count(b"<<") - inner.count(b">>")
        and outer.count(b"[") - outer.count(b"]") == inner.count(b"[") - inner.count(b"]")
    )


def _split_objects(text: bytes, order: list[int]) -> dict[int, bytes] | None:
    """Return the objects of the text, if it consists of these alone."""
    parts = text.split(b"endobj\n")
    heads = [b"%d 0 obj" % number for number in order]
    if (
        len(parts) != len(order) + 1
        or parts.pop().strip()
        or text.count(b" 0 obj") != len(order)
        or not all(map(bytes.startswith, parts, heads))
    ):
        return None
    return dict(zip(order, parts, strict=True))
