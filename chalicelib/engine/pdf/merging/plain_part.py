"""Plain document as a part of a merged file: its renumbered objects, and joining entries."""

import re
from typing import Final, NamedTuple

from chalicelib.engine.pdf.text.plain_pdf import PlainPdf
from chalicelib.engine.pdf.text.split_streams import STREAM_MARK

# Objects of the merged file.
PAGES, STRUCTURE, PARENTS, IDS, OUTLINE = 2, 3, 4, 5, 6
_MAX_ID_NODES: Final = 10_000
_NAME: Final = re.compile(rb"/([^\s/<>\[\]()]+)")
_REFERENCE: Final = re.compile(rb"([0-9]+) 0 R")
_WHOLE_REFERENCE: Final = re.compile(rb"(?<![0-9])[0-9]++ 0 R")
# More than these are replaced in one pass, which takes 0.3 ms for a page of 160 elements.
_FEW_REFERENCES: Final = 20
_JOINED: Final = re.compile(rb"/(Pages|StructTreeRoot|Outlines|Metadata) ([0-9]+) 0 R\s*")
_KIDS: Final = re.compile(rb"/Kids \[([0-9R\s]*)\]")
_PAGE: Final = re.compile(rb"/Type /Page[^A-Za-z]")
_K: Final = re.compile(rb"/K (?:\[([0-9R\s]*)\]|([0-9]+ 0 R))")
_PARENT_ENTRY: Final = re.compile(rb"([0-9]+) ([0-9]+ 0 R|\[[0-9R\s]*\])")
_PARENT_ENTRIES: Final = re.compile(rb"/Nums \[((?:\s*[0-9]+ (?:[0-9]+ 0 R|\[[0-9R\s]*\]))*)\s*\]")
_STRUCT_PARENT: Final = b"/StructParent"
_STRUCT_PARENT_KEY: Final = re.compile(rb"\As? [0-9]+")
_ID_ENTRY: Final = re.compile(rb"\(([A-Za-z0-9_.:-]*)\) ([0-9]+ 0 R)")
_ID_ENTRIES: Final = re.compile(rb"/Names \[((?:\s*\([A-Za-z0-9_.:-]*\) [0-9]+ 0 R)*)\s*\]")
_ELEMENT_IDS: Final = re.compile(rb"/ID \([A-Za-z0-9_.:-]*\)|/Headers \[[^\]]*\]")
_OUTLINE: Final = re.compile(rb"/(First|Last|Count) ([0-9]+)\b")
_CATALOG_NAMES: Final = frozenset(
    b"Type Catalog Lang MarkInfo Marked ViewerPreferences DisplayDocTitle PageMode UseOutlines "
    b"UseNone PageLayout SinglePage OneColumn".split()
)
_STRUCTURE_NAMES: Final = frozenset(
    b"Type StructTreeRoot K ParentTree ParentTreeNextKey IDTree Nums Names".split()
)
_OUTLINE_NAMES: Final = frozenset(b"Type Outlines First Last Count".split())
_CLAIMS: Final = re.compile(rb"pdfaid|pdfuaid|pdfxid|pdfe:")


class NotPlainError(Exception):
    """A document has objects that are not merged by its text."""


class PlainOutline(NamedTuple):
    """First and last entry of an outline, as references, and how many are to be seen."""

    first: bytes
    last: bytes
    shown: int


class PlainPart:
    """Document with its new numbers."""

    def __init__(self, document: PlainPdf, place: int, width: int) -> None:
        """Read the objects that join its parts. Raises NotPlainError."""
        self._document, self._place = document, place
        self._suffix = b"%0*d" % (width, place)
        self._id_ending = b"-%d" % (place + 1) if place else b""
        catalog = document.body_of(document.root)
        found = {name: int(number) for name, number in _JOINED.findall(catalog)}
        self._dropped = {document.root}
        entries = _JOINED.sub(b"", catalog).strip()
        if not entries.startswith(b"<<") or b" 0 R" in entries:
            raise NotPlainError
        self.catalog = _require_names(
            entries.removeprefix(b"<<").removesuffix(b">>"), _CATALOG_NAMES
        )
        self._text = document.text.replace(b" 0 R", self._suffix + b" 0 R")
        self.pages = self._read_pages(found.get(b"Pages", 0))
        self.elements: list[bytes] = []
        self.parents: list[tuple[int, bytes]] = []
        self.ids: list[tuple[bytes, bytes]] = []
        if b"StructTreeRoot" in found:
            self._read_structure(found[b"StructTreeRoot"])
        self.outline = self._read_outline(found[b"Outlines"]) if b"Outlines" in found else None
        self.metadata = self._read_metadata(found.get(b"Metadata"))
        self.info = self._read_info()

    def insert(self, reference: bytes, entry: bytes) -> None:
        """Insert an entry into the dictionary of an object."""
        begin = reference.removesuffix(self._suffix + b" 0 R") + b" 0 obj"
        at = 0 if self._text.startswith(begin) else self._text.index(b"endobj\n" + begin)
        place = self._text.index(b"<<", at) + 2
        self._text = self._text[:place] + entry + self._text[place:]

    def objects(self, shared: dict[bytes, bytes]) -> dict[int, bytes]:
        """Return the texts of the objects that stay by their old numbers, in order.

        `shared` are streams without references, as their texts, and the references to the first of
        each. Streams that an earlier part has as well are left out.
        """
        self._share_streams(shared)
        texts = self._text.replace(b" 0 obj", self._suffix + b" 0 obj").split(b"endobj\n")
        objects = dict(zip(self._document.objects, texts, strict=False))
        for number, stream in self._document.streams.items():
            objects[number] = objects[number].replace(STREAM_MARK, stream)
        for number in self._dropped:
            objects.pop(number, None)
        return objects

    def _share_streams(self, shared: dict[bytes, bytes]) -> None:
        moved = dict[bytes, bytes]()
        for number, content in self._document.streams.items():
            body = self._document.body_of(number)
            if number not in self._dropped and b" 0 R" not in body and _STRUCT_PARENT not in body:
                own = self._reference(number)
                first = shared.setdefault(body.replace(STREAM_MARK, content), own)
                if first != own:
                    self._dropped.add(number)
                    moved[own] = first
        if len(moved) > _FEW_REFERENCES:
            self._text = _WHOLE_REFERENCE.sub(
                lambda found: moved.get(found[0], found[0]), self._text
            )
            return
        for own, first in moved.items():
            self._refer(own, first)

    def _refer(self, old: bytes, new: bytes) -> None:
        """Replace a reference."""
        begin, *others = self._text.split(old)
        parts = [begin]
        for part in others:
            # Not the end of a longer number.
            is_whole = not parts[-1][-1:].isdigit()
            parts += [new if is_whole else old, part]
        self._text = b"".join(parts)

    def _reference(self, number: int | bytes) -> bytes:
        return b"%d%b 0 R" % (int(number), self._suffix)

    def _references(self, text: bytes) -> list[bytes]:
        return [self._reference(number) for number in _REFERENCE.findall(text)]

    def _drop(self, number: int, parent_key: bytes, successor: int) -> bytes:
        """Drop an object that the merged file has another for; return its text."""
        body = self._document.body_of(number)
        if not body:
            raise NotPlainError
        self._dropped.add(number)
        old = b"/%b %b" % (parent_key, self._reference(number))
        self._text = self._text.replace(old, b"/%b %d 0 R" % (parent_key, successor))
        return body

    def _read_pages(self, number: int) -> list[bytes]:
        body = self._drop(number, b"Parent", PAGES)
        kids = _KIDS.search(body)
        if kids is None or set(_NAME.findall(body)) != {b"Type", b"Pages", b"Kids", b"Count"}:
            raise NotPlainError
        numbers = [int(kid) for kid in _REFERENCE.findall(kids[1])]
        bodies = [self._document.body_of(kid) for kid in numbers]
        if not numbers or len(set(numbers)) < len(numbers):
            raise NotPlainError
        if any(b"/B " in page or not _PAGE.search(page) for page in bodies):
            raise NotPlainError
        return [self._reference(kid) for kid in numbers]

    def _read_structure(self, number: int) -> None:
        body = self._drop(number, b"P", STRUCTURE)
        _require_names(body, _STRUCTURE_NAMES)
        kids = _K.search(body)
        if kids is None:
            raise NotPlainError
        self.elements = self._references(kids[1] or kids[2])
        self._add_to_keys()
        self._read_parents(self._own_text(body, b"ParentTree"))
        if b"/IDTree" in body:
            self._read_ids(self._own_text(body, b"IDTree"))

    def _add_to_keys(self) -> None:
        before, *others = self._text.split(_STRUCT_PARENT)
        new_key = rb"\g<0>" + self._suffix
        after = (_STRUCT_PARENT_KEY.sub(new_key, other) for other in others)
        self._text = _STRUCT_PARENT.join([before, *after])

    def _own_text(self, body: bytes, key: bytes) -> bytes:
        """Return the text of an entry's object, which is dropped, or the body that has it."""
        reference = re.search(rb"/%b ([0-9]+) 0 R" % key, body)
        if reference is None:
            return body
        self._dropped.add(int(reference[1]))
        return self._document.body_of(int(reference[1]))

    def _read_parents(self, text: bytes) -> None:
        entries = _PARENT_ENTRIES.search(text)
        if entries is None or b"/Kids" in text:
            raise NotPlainError
        suffix = self._suffix + b" 0 R"
        self.parents = [
            (int(key + self._suffix), value.replace(b" 0 R", suffix))
            for key, value in _PARENT_ENTRY.findall(entries[1])
        ]

    def _read_ids(self, root: bytes) -> None:
        nodes = [root]
        for node in nodes:
            names, kids = _ID_ENTRIES.search(node), _KIDS.search(node)
            if (names is None) == (kids is None) or len(nodes) > _MAX_ID_NODES:
                raise NotPlainError
            if names is not None:
                suffix = self._suffix + b" 0 R"
                self.ids += [
                    (key + self._id_ending, value.replace(b" 0 R", suffix))
                    for key, value in _ID_ENTRY.findall(names[1])
                ]
            if kids is not None:
                numbers = [int(kid) for kid in _REFERENCE.findall(kids[1])]
                self._dropped.update(numbers)
                nodes += [self._document.body_of(kid) for kid in numbers]
        if self._id_ending:
            ending = self._id_ending + b")"
            self._text = _ELEMENT_IDS.sub(lambda found: found[0].replace(b")", ending), self._text)

    def _read_outline(self, number: int) -> PlainOutline:
        body = _require_names(self._drop(number, b"Parent", OUTLINE), _OUTLINE_NAMES)
        found = {key: int(number) for key, number in _OUTLINE.findall(body)}
        if found.keys() != {b"First", b"Last", b"Count"}:
            raise NotPlainError
        first, last = found[b"First"], found[b"Last"]
        if not self._document.body_of(first) or not self._document.body_of(last):
            raise NotPlainError
        return PlainOutline(self._reference(first), self._reference(last), found[b"Count"])

    def _read_metadata(self, number: int | None) -> bytes:
        if number is None:
            return b""
        if self._place:
            self._dropped.add(number)
            return b""
        body = self._document.body_of(number)
        if b"/Filter" in body or number not in self._document.streams:
            raise NotPlainError
        if _CLAIMS.search(self._document.streams[number]):
            raise NotPlainError
        return b" /Metadata " + self._reference(number)

    def _read_info(self) -> bytes:
        info = re.search(rb"/Info ([0-9]+) 0 R", self._document.trailer)
        if info is None:
            return b""
        if self._place:
            self._dropped.add(int(info[1]))
            return b""
        return b" /Info " + self._reference(info[1])


def _require_names(text: bytes, names: frozenset[bytes]) -> bytes:
    """Return the text; raises NotPlainError if it has another name."""
    if not names.issuperset(_NAME.findall(text)):
        raise NotPlainError
    return text
