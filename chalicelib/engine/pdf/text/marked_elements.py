"""Types of elements that were marked for the print: lists of terms, and formulas.

ISO 32000-1, 14.8.4.3.3: in a dictionary list, Lbl has the term and LBody the definition. A `div` of
a `dl` is an item; where there is none, an item begins with each group of terms.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from chalicelib.engine.pdf.text.printed_objects import PrintedObjects, string_of_text

type MarkKind = Literal["list", "item", "label", "body", "formula"]
_TYPES: Final[Mapping[MarkKind, bytes]] = {
    "list": b"/L",
    "item": b"/LI",
    "label": b"/Lbl",
    "body": b"/LBody",
    "formula": b"/Formula",
}
_TYPE: Final = re.compile(rb"/S /Figure\b")
_PARENT: Final = re.compile(rb"/P [0-9]+ 0 R\b")
_KIDS: Final = re.compile(rb"/K (\[[^\]]*\]|[0-9]+ 0 R|[0-9]+)")
_KID_TOKEN: Final = re.compile(rb"<<[^<>]*>>|([0-9]+) 0 R|[0-9]+")


class StructureMark(NamedTuple):
    """Kind of a marked element; the text of a formula."""

    kind: MarkKind
    text: str = ""


class StructureMarks(NamedTuple):
    """Marks of a document: the name of each in the PDF is the prefix and its place."""

    prefix: str = ""
    marks: Sequence[StructureMark] = ()


class _Kid(NamedTuple):
    """Kid of a list as it is written; its number if it is an element, and its mark."""

    token: bytes
    number: int
    kind: MarkKind | None


def typed_objects(
    content: bytes, objects: PrintedObjects, marks: StructureMarks
) -> Mapping[int, bytes]:
    """Return the new texts of the marked elements, and new elements for items of lists."""
    if not marks.marks:
        return {}
    typing = _Typing(objects, marks)
    name = re.compile(rb"/Alt \(%b([0-9]{1,6})\)\n?" % marks.prefix.encode())
    for found in name.finditer(content):
        # Scripts of the page may read the names while they are there, and write others.
        if (place := int(found[1])) < len(marks.marks):
            typing.add(objects.number_at(found.start()), found[0], place)
    typing.add_items()
    return typing.texts


class _Typing:
    """Elements while they get their types."""

    def __init__(self, objects: PrintedObjects, marks: StructureMarks) -> None:
        self._objects, self._marks = objects, marks
        self.texts: dict[int, bytes] = {}
        self._kinds: dict[int, MarkKind] = {}
        self._next_number = objects.next_number

    def add(self, number: int, entry: bytes, place: int) -> None:
        """Write the type of an element; `entry` is its mark."""
        mark = self._marks.marks[place]
        alternative = b"/Alt %b\n" % string_of_text(mark.text) if mark.kind == "formula" else b""
        text = self._objects.text_of(number).replace(entry, alternative, 1)
        self.texts[number] = _TYPE.sub(b"/S " + _TYPES[mark.kind], text, count=1)
        self._kinds[number] = mark.kind

    def add_items(self) -> None:
        """Write items around the terms and definitions of lists that have none."""
        for number in [each for each, kind in self._kinds.items() if kind == "list"]:
            kids = _KIDS.search(self.texts[number])
            if kids is not None:
                items = [self._item(number, group) for group in self._groups(kids[1])]
                self.texts[number] = _KIDS.sub(
                    b"/K [%b]" % b" ".join(items), self.texts[number], count=1
                )

    def _groups(self, kids: bytes) -> list[list[_Kid]]:
        """Return the kids of a list by item: a term begins one, unless it follows a term."""
        groups, before = list[list[_Kid]](), None
        for found in _KID_TOKEN.finditer(kids):
            number = int(found[1] or 0)
            kind = self._kinds.get(number)
            is_whole = "item" in (kind, before) or not number
            if not groups or is_whole or (kind == "label" and before != "label"):
                groups.append([])
            groups[-1].append(_Kid(found[0], number, kind))
            before = kind if number else "item"
        return groups

    def _item(self, parent: int, group: list[_Kid]) -> bytes:
        """Return the reference of a list item of these kids; a kid that is an item stays."""
        if group[0].kind == "item" or not group[0].number:
            return group[0].token
        item = self._new_element(b"/LI", parent)
        kids = [self._part(item, kid) for kid in group]
        self.texts[item] += b"\n/K [%b]>>" % b" ".join(kids)
        return b"%d 0 R" % item

    def _part(self, item: int, kid: _Kid) -> bytes:
        """Return the reference of a term or definition; anything else becomes a definition."""
        if kid.kind is None:
            body = self._new_element(b"/LBody", item)
            self.texts[body] += b"\n/K %b>>" % kid.token
            self._set_parent(kid.number, body)
            return b"%d 0 R" % body
        self._set_parent(kid.number, item)
        return kid.token

    def _set_parent(self, number: int, parent: int) -> None:
        text = self.texts.get(number) or self._objects.text_of(number)
        self.texts[number] = _PARENT.sub(b"/P %d 0 R" % parent, text, count=1)

    def _new_element(self, type_: bytes, parent: int) -> int:
        """Begin an element, whose kids follow."""
        number = self._next_number
        self._next_number += 1
        self.texts[number] = b"<</Type /StructElem\n/S %b\n/P %d 0 R" % (type_, parent)
        return number
