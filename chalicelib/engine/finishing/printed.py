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
_OF_ORIGIN: Final = b".document.invalid"
# An origin's name, with the rest of the string that it stands in and what ends that.
_TOLD: Final = re.compile(
    rb"\.document\.invalid(?<=[0-9a-f]{24}\.document\.invalid)(?:[ -'*-\[\]-~]++|\\.)*+(\)?)"
)
# As browser/origin.py makes it, also as a parameter of another address; backwards, so that each
# search begins with its name.
_BACKWARDS: Final = re.compile(rb"dilavni\.tnemucod\.[0-9a-f]{24}(?:(?://:|F2%F2%A3%)sptth)?")
_MOST_BEFORE_NAME: Final = len(b"https%3A%2F%2F") + 24
# The ids that Chromium gives to the cells that head a table, where cells name them: in a cell's
# own dictionary, in lists, in the tree of ids behind a reference.
_CELL: Final = re.compile(
    rb"\(node(?:(?<=/ID \(node)|(?<=\[\(node)|(?<=\) \(node)|(?<= R \(node))([0-9]{8})\)"
)
_ROOT: Final = re.compile(rb"/Root ([0-9]+) 0 R")
_PAGES: Final = re.compile(rb"/Pages ([0-9]+) 0 R")
_COUNT: Final = re.compile(rb"/Count ([0-9]+)")
_END: Final = re.compile(rb"startxref\n([0-9]+)\n%%EOF\n?\Z")
_TYPE: Final = re.compile(rb"<</Type /StructElem\n/S (/\w+)\n")
_ITEM: Final = re.compile(rb"<</Type /StructElem\n/S /LI\n")
_FIGURE: Final = re.compile(rb"<</Type /StructElem\n/S /Figure\n")
_LINKED: Final = re.compile(rb"/Type /OBJR\n")
_OBJECT: Final = b" 0 obj\n"
_MOST_DIGITS: Final = 8
_TAIL_BYTES: Final = 1024
_XREF_ENTRY_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class Elements:
    """What a structure tree has in it: its types, and elements by number, in the order of reading.

    Parents come after their kids. What is in streams may look like one as well.
    """

    types: frozenset[str]
    items: tuple[int, ...]
    figures: tuple[int, ...]
    linked: tuple[int, ...]
    """Those that annotations belong to, which are links."""


def repeatable(content: bytes, moment: dt.datetime) -> bytes:
    """Return the document with nothing in it that another printing would have differently.

    Its dates are `moment`, its structure ids count from 1, links to its own place are relative.
    """
    date = f"{moment.astimezone(dt.UTC):%Y%m%d%H%M%S}+00'00'".encode()
    content = _DATE.sub(rb"/\g<1>Date (D:%s)" % date, content, count=2)
    if _OF_ORIGIN in content:
        content = _relative(content)
    # Texts and, every other one, the number of a cell between them: there are thousands.
    parts = _CELL.split(content)
    names = {old: b"(node%08d)" % new for new, old in enumerate(sorted(set(parts[1::2])), 1)}
    parts[1::2] = map(names.__getitem__, parts[1::2])
    return b"".join(parts)


def _relative(content: bytes) -> bytes:
    """Return the document with no origin in its strings; what follows each fills its room."""
    parts: list[bytes] = []
    done = 0
    for found in _TOLD.finditer(content):
        if found[1]:
            begin = max(done, found.start() - _MOST_BEFORE_NAME)
            told = content[begin : found.end()]
            kept = _BACKWARDS.sub(b"", told[::-1])[::-1]
            parts += content[done:begin], kept.ljust(len(told))
            done = found.end()
    return b"".join((*parts, content[done:]))


def with_id(content: bytes) -> bytes:
    """Return the document with an id made of its own bytes."""
    at = content.rindex(b"trailer\n<<") + len(b"trailer\n<<")
    digest = hashlib.sha256(content).hexdigest()[:32].encode()
    return content[:at] + b"/ID [<%s> <%s>]\n" % (digest, digest) + content[at:]


def pages_of(content: bytes) -> int:
    """Return how many pages a document has that was saved by the browser alone."""
    tail = content[-_TAIL_BYTES:]
    table, root = _END.search(tail), _ROOT.search(tail)
    assert table is not None
    assert root is not None
    first = content.index(b"\n", content.index(b"\n", int(table[1])) + 1) + 1

    def number(form: re.Pattern[bytes], object_number: int) -> int:
        entry = first + object_number * _XREF_ENTRY_BYTES
        found = form.search(content, int(content[entry : entry + 10]))
        assert found is not None
        return int(found[1])

    return number(_COUNT, number(_PAGES, int(root[1])))


def elements_in(content: bytes) -> Elements:
    """Return what the structure tree has in it: to visit each element takes far longer."""
    return Elements(
        types=frozenset(name.decode() for name in set(_TYPE.findall(content))),
        items=tuple(_numbers(content, _ITEM)),
        figures=tuple(_numbers(content, _FIGURE)),
        linked=tuple(dict.fromkeys(_numbers(content, _LINKED))),
    )


def _numbers(content: bytes, form: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the number of each object that has this form in it."""
    after = 0
    for found in form.finditer(content):
        end = content.rfind(_OBJECT, after, found.start())
        after = found.start()
        if end < 0:  # one more in the same object, or none
            continue
        number = content[max(end - _MOST_DIGITS, 0) : end].rpartition(b"\n")[2]
        if number.isdigit():
            yield int(number)
