"""Plain documents: PDFs whose bytes can be joined without parsing their objects.

Most documents of a merge are such: one cross-reference table, objects in order, and a catalog with
pages, tags, outline and language only. Whatever is not clearly so is left to qpdf (`joined_pdf`).
"""

import re
from typing import Final, NamedTuple

# Stands for the content of a stream among objects; a file with these bytes elsewhere is not plain.
STREAM_MARK: Final = b"\xff\x00\xfe\x00\xfd"
_HEADER: Final = re.compile(rb"%PDF-1\.([0-7])[\r\n]")
_END: Final = re.compile(rb"startxref\r?\n([0-9]{1,10})\r?\n%%EOF\s*\Z")
_TABLE: Final = re.compile(rb"xref\n0 ([0-9]{1,7})\n")
_TABLE_HEAD: Final = b"0000000000 65535 f"
_ENTRY_BYTES: Final = 20
_FIRST_OBJECT: Final = re.compile(rb"[1-9][0-9]* 0 obj\b")
_STREAM_LENGTH: Final = re.compile(rb"/Length ([0-9]{1,10})\b(?! [0-9]+ R)")
_STREAM_BEGIN: Final = re.compile(rb"stream\r?\n")
_STREAM_END: Final = re.compile(rb"\s{0,2}endstream\b")
_STRING: Final = re.compile(rb"\((?:[^\\()]++|\\.)*+\)", re.DOTALL)
_REFERENCE_END: Final = re.compile(rb" R(?=[\s/<>\[\]()])")
_BROKEN_REFERENCE: Final = (b"\nR", b"\rR", b"\tR", b"\fR", b"\0R", b"  0 R", b"\\\n0 R")
_IN_STRINGS: Final = (b" 0 R", b"/Struct", b"/Parent ", b"/P ", b"/ID", b"/Headers", b"/SE")
_TRAILER_KEYS: Final = frozenset((b"Size", b"Root", b"Info", b"ID"))
_NAME: Final = re.compile(rb"/([^\s/<>\[\]()]+)")
_ROOT: Final = re.compile(rb"/Root ([0-9]+) 0 R")


class PlainPdf(NamedTuple):
    """Objects of a plain document.

    `text` are the objects, each with a line `endobj`, with a mark for the content of each stream.
    """

    version: int
    text: bytes
    streams: list[bytes]
    numbers: list[int]
    """Numbers of the objects in their order in the text."""
    trailer: bytes
    root: int

    def body_of(self, number: int) -> bytes:
        """Return the text of an object; nothing if there is none."""
        begin = b"%d 0 obj" % number
        at = 0 if self.text.startswith(begin) else self.text.find(b"endobj\n" + begin)
        if at < 0:
            return b""
        return self.text[at : self.text.index(b"endobj\n", at + 1)].partition(b" 0 obj")[2]


def read_plain_pdf(content: bytes) -> PlainPdf | None:
    """Return a document that is plain, else None."""
    header, end = _HEADER.match(content), _END.search(content, max(len(content) - 64, 0))
    first = _FIRST_OBJECT.search(content, 0, 64)
    if header is None or end is None or first is None:
        return None
    table = _TABLE.match(content, int(end[1]))
    trailer_at = content.rfind(b"trailer", int(end[1]), end.start())
    if table is None or trailer_at < 0:
        return None
    count = int(table[1]) - 1
    order = _object_order(content[table.end() : trailer_at], count)
    trailer = content[trailer_at : end.start()]
    root = _ROOT.search(trailer)
    keys = set(_NAME.findall(trailer))
    parts = _split_streams(content[first.start() : int(end[1])])
    if order is None or root is None or parts is None or not keys <= _TRAILER_KEYS:
        return None
    text, streams = parts
    if not _is_plain_text(text) or not _are_objects(text, order):
        return None
    return PlainPdf(int(header[1]), text, streams, order, trailer, int(root[1]))


def _object_order(table: bytes, count: int) -> list[int] | None:
    """Return the numbers of the objects in the order of the file."""
    entries = table.rstrip()
    if len(entries) + 2 < (count + 1) * _ENTRY_BYTES or not entries.startswith(_TABLE_HEAD):
        return None
    if entries.count(b" 00000 n") != count:
        return None
    begins = [int(entries[at : at + 10]) for at in range(0, len(entries), _ENTRY_BYTES)]
    return sorted(range(1, count + 1), key=begins.__getitem__) if len(begins) > count else None


def _split_streams(objects: bytes) -> tuple[bytes, list[bytes]] | None:
    if STREAM_MARK in objects:
        return None
    texts, streams, at = list[bytes](), list[bytes](), 0
    while True:
        begin = _STREAM_BEGIN.search(objects, at)
        if begin is None:
            break
        dictionary_at = objects.rfind(b" 0 obj", at, begin.start())
        length = _STREAM_LENGTH.search(objects, max(dictionary_at, at), begin.start())
        if dictionary_at < 0 or length is None:
            return None
        content_end = begin.end() + int(length[1])
        end = _STREAM_END.match(objects, content_end)
        if end is None:
            return None
        texts.append(objects[at : begin.end()])
        streams.append(objects[begin.end() : content_end])
        # Not within the word, which would be taken for the begin of a stream.
        texts[-1] += STREAM_MARK + objects[content_end : end.end()]
        at = end.end()
    texts.append(objects[at:])
    return b"".join(texts), streams


def _is_plain_text(text: bytes) -> bool:
    """Tell whether each reference is `<number> 0 R`, and no string looks like one."""
    if b"%" in text or any(each in text for each in _BROKEN_REFERENCE):
        return False
    strings = _STRING.findall(text)
    joined = b"".join(strings)
    if any(each in joined for each in _IN_STRINGS) or b"endobj" in joined:
        return False
    references = len(_REFERENCE_END.findall(text)) - len(_REFERENCE_END.findall(joined))
    return (
        text.count(b"(") == joined.count(b"(")
        and text.count(b" 0 R") == references
        and text.count(b"<<") - text.count(b">>") == joined.count(b"<<") - joined.count(b">>")
        and text.count(b"[") - text.count(b"]") == joined.count(b"[") - joined.count(b"]")
    )


def _are_objects(text: bytes, order: list[int]) -> bool:
    """Tell whether the text consists of these objects alone."""
    parts = text.split(b"endobj\n")
    return (
        len(parts) == len(order) + 1
        and not parts[-1].strip()
        and text.count(b" 0 obj") == text.count(b"obj") - text.count(b"endobj") == len(order)
        and all(
            part.startswith(b"%d 0 obj" % number)
            for part, number in zip(parts, order, strict=False)
        )
    )
