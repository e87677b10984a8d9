"""A PDF as Chromium prints it, changed byte for byte, so that its table of places stays true.

Opening and saving a document of many pages takes as long as a good part of its printing; this
does not.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_DATE: Final = re.compile(rb"/(Creation|Mod)Date \(D:[0-9]{14}[+-][0-9]{2}'[0-9]{2}'\)")
_ORIGIN_SUFFIX: Final = b".document.invalid"
# An origin's name, with the rest of the string that it stands in and what ends that.
_ORIGIN_IN_STRING: Final = re.compile(
    rb"\.document\.invalid(?<=[0-9a-f]{24}\.document\.invalid)(?:[ -'*-\[\]-~]++|\\.)*+(\)?)"
)
# As browser/origin.py makes it, also as a parameter of another address; backwards, so that each
# search begins with its name.
_REVERSED_ORIGIN: Final = re.compile(rb"dilavni\.tnemucod\.[0-9a-f]{24}(?:(?://:|F2%F2%A3%)sptth)?")
_MAX_BYTES_BEFORE_NAME: Final = len(b"https%3A%2F%2F") + 24
# The ids that Chromium gives to the cells that head a table, where cells name them: in a cell's
# own dictionary, in lists, in the tree of ids behind a reference.
_HEADER_CELL_ID: Final = re.compile(
    rb"\(node(?:(?<=/ID \(node)|(?<=\[\(node)|(?<=\) \(node)|(?<= R \(node))([0-9]{8})\)"
)
_ROOT: Final = re.compile(rb"/Root ([0-9]+) 0 R")
_PAGES: Final = re.compile(rb"/Pages ([0-9]+) 0 R")
_COUNT: Final = re.compile(rb"/Count ([0-9]+)")
_STARTXREF: Final = re.compile(rb"startxref\n([0-9]+)\n%%EOF\n?\Z")
_ELEMENT_TYPE: Final = re.compile(rb"<</Type /StructElem\n/S (/\w+)\n")
_LIST_ITEM: Final = re.compile(rb"<</Type /StructElem\n/S /LI\n")
_FIGURE: Final = re.compile(rb"<</Type /StructElem\n/S /Figure\n")
_ANNOTATION_REFERENCE: Final = re.compile(rb"/Type /OBJR\n")
_OBJECT_BEGIN: Final = b" 0 obj\n"
_MAX_DIGITS: Final = 8
_TAIL_BYTES: Final = 1024
_XREF_ENTRY_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class StructureIndex:
    """What a structure tree has in it: its types, and elements by number, in the order of reading.

    Parents come after their kids. What is in streams may look like one as well.
    """

    types: frozenset[str]
    list_items: tuple[int, ...]
    figures: tuple[int, ...]
    annotation_parents: tuple[int, ...]
    """Those that annotations belong to, which are links."""


def make_deterministic(content: bytes, created_at: dt.datetime) -> bytes:
    """Return the document with nothing in it that another printing would have differently.

    Its dates are `moment`, its structure ids count from 1, links to its own place are relative.
    """
    date = f"{created_at.astimezone(dt.UTC):%Y%m%d%H%M%S}+00'00'".encode()
    content = _DATE.sub(rb"/\g<1>Date (D:%s)" % date, content, count=2)
    if _ORIGIN_SUFFIX in content:
        content = _make_links_relative(content)
    # Texts and, every other one, the number of a cell between them: there are thousands.
    parts = _HEADER_CELL_ID.split(content)
    names = {old: b"(node%08d)" % new for new, old in enumerate(sorted(set(parts[1::2])), 1)}
    parts[1::2] = map(names.__getitem__, parts[1::2])
    return b"".join(parts)


def _make_links_relative(content: bytes) -> bytes:
    """Return the document with no origin in its strings; what follows each fills its room."""
    parts: list[bytes] = []
    done = 0
    for found in _ORIGIN_IN_STRING.finditer(content):
        if found[1]:
            begin = max(done, found.start() - _MAX_BYTES_BEFORE_NAME)
            told = content[begin : found.end()]
            kept = _REVERSED_ORIGIN.sub(b"", told[::-1])[::-1]
            parts += content[done:begin], kept.ljust(len(told))
            done = found.end()
    return b"".join((*parts, content[done:]))


def with_document_id(content: bytes) -> bytes:
    """Return the document with an id made of its own bytes."""
    at = content.rindex(b"trailer\n<<") + len(b"trailer\n<<")
    digest = hashlib.sha256(content).hexdigest()[:32].encode()
    return content[:at] + b"/ID [<%s> <%s>]\n" % (digest, digest) + content[at:]


def page_count(content: bytes) -> int:
    """Return how many pages a document has that was saved by the browser alone."""
    tail = content[-_TAIL_BYTES:]
    table, root = _STARTXREF.search(tail), _ROOT.search(tail)
    assert table is not None
    assert root is not None
    first = content.index(b"\n", content.index(b"\n", int(table[1])) + 1) + 1

    def number(form: re.Pattern[bytes], object_number: int) -> int:
        entry = first + object_number * _XREF_ENTRY_BYTES
        found = form.search(content, int(content[entry : entry + 10]))
        assert found is not None
        return int(found[1])

    return number(_COUNT, number(_PAGES, int(root[1])))


def structure_index(content: bytes) -> StructureIndex:
    """Return what the structure tree has in it: to visit each element takes far longer."""
    return StructureIndex(
        types=frozenset(name.decode() for name in set(_ELEMENT_TYPE.findall(content))),
        list_items=tuple(_object_numbers(content, _LIST_ITEM)),
        figures=tuple(_object_numbers(content, _FIGURE)),
        annotation_parents=tuple(dict.fromkeys(_object_numbers(content, _ANNOTATION_REFERENCE))),
    )


def _object_numbers(content: bytes, form: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the number of each object that has this form in it."""
    after = 0
    for found in form.finditer(content):
        end = content.rfind(_OBJECT_BEGIN, after, found.start())
        after = found.start()
        if end < 0:  # one more in the same object, or none
            continue
        number = content[max(end - _MAX_DIGITS, 0) : end].rpartition(b"\n")[2]
        if number.isdigit():
            yield int(number)
