"""Places of findings in the HTML: the elements that objects of a PDF were made of.

The browser tags elements in the order of the document, so the third heading is the third one of the
page. Where the numbers of elements differ, none is named.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.engine.pdf.tagging.structure_tree import StructureKid, as_list, is_element

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.browser.output.page_elements import PageElements
    from chalicelib.engine.context import RenderWarning

_MAX_VISITED: Final = 50_000
# A document that is larger takes long to be opened once more.
_MAX_BYTES: Final = 2_000_000
_HEADING: Final = re.compile(r"/H[1-6]?")
_OBJECT: Final = re.compile(r"\(([0-9]+) 0 obj")
# Beginnings of what veraPDF says of characters.
_OF_CHARACTERS: Final = (
    "The glyph can not be mapped to Unicode",
    "The document contains a reference to the .notdef glyph",
)


class HtmlPlaces(NamedTuple):
    """Elements by the numbers of their objects, and the characters that no font has."""

    elements: Mapping[int, str] = {}
    characters: str = ""

    def with_place(self, message: str, location: str) -> str:
        """Return the message of a finding with its place in the HTML, if that is known."""
        if message.startswith(_OF_CHARACTERS):
            return f"{message.rstrip('. ')}. {self.characters}" if self.characters else message
        numbers = [int(number) for number in reversed(_OBJECT.findall(location))]
        found = next((self.elements[each] for each in numbers if each in self.elements), None)
        return message if found is None else f"{message.rstrip('. ')}. In the HTML: {found}"


def html_places(
    content: bytes, elements: "PageElements", warnings: "Sequence[RenderWarning]"
) -> HtmlPlaces:
    """Return the places of a finished PDF; `warnings` name the characters."""
    characters = [
        f"{each.message}: “{each.detail}”" if each.detail else each.message
        for each in warnings
        if each.code == "glyph_missing"
    ]
    named = {}
    if elements.may_be_found and len(content) <= _MAX_BYTES:
        named = _named_objects(content, elements)
    return HtmlPlaces(named, "; ".join(characters[:3]))


def _named_objects(content: bytes, elements: "PageElements") -> dict[int, str]:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    headings, pictures, cells = list[int](), list[int](), dict[int, list[int]]()
    with pikepdf.open(io.BytesIO(content)) as document:
        for element in _structure_elements(document):
            kind, number = str(element.get("/S", "")), element.objgen[0]
            if _HEADING.fullmatch(kind):
                headings.append(number)
            elif kind == "/Figure" and "/Alt" not in element:
                pictures.append(number)
            elif kind == "/Table":
                cells[number] = []
            elif kind == "/TR" and (table := _table_of(element)) in cells:
                cells[table].append(sum(_is_cell(kid) for kid in as_list(element.get("/K"))))
    named = _tables(cells, elements.tables)
    for numbers, descriptions in ((headings, elements.headings), (pictures, elements.pictures)):
        if len(numbers) == len(descriptions):
            named |= zip(numbers, descriptions, strict=True)
    return named


def _is_cell(kid: StructureKid) -> bool:
    return is_element(kid) and kid.S in ("/TD", "/TH")


def _table_of(row: "pikepdf.Object") -> int:
    """Return the number of the table of a row, which may be in a group of rows."""
    parent = row.get("/P")
    if parent is not None and parent.get("/S") != "/Table":
        parent = parent.get("/P")
    return parent.objgen[0] if parent is not None else 0


def _tables(
    cells: Mapping[int, list[int]], tables: "Sequence[tuple[str, list[int]]]"
) -> dict[int, str]:
    """Return the tables by number.

    Tables for layout alone have no tag, so tables of the same cells may be taken for each other:
    one is named only if it is the same from the beginning and from the end.
    """
    first, last = (
        _places_in_order(cells.items(), tables),
        _places_in_order([*cells.items()][::-1], tables[::-1]),
    )
    size = len(tables) - 1
    return {
        number: tables[place][0]
        for number, place in first.items()
        if last.get(number) == size - place
    }


def _places_in_order(
    tagged: Iterable[tuple[int, list[int]]], tables: "Sequence[tuple[str, list[int]]]"
) -> dict[int, int]:
    """Return the place of each tagged table; nothing unless all are found in their order."""
    places, waiting = dict[int, int](), iter(enumerate(tables))
    for number, cells in tagged:
        found = next((place for place, (_, size) in waiting if size == cells), None)
        if found is None:
            return {}
        places[number] = found
    return places


def _structure_elements(document: "pikepdf.Pdf") -> "Iterator[pikepdf.Object]":
    """Yield the elements in the order of the document, so many of them that it takes no time."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    tree = document.Root.get("/StructTreeRoot")
    waiting: list[object] = [] if tree is None else [tree]
    for _ in range(_MAX_VISITED):
        if not waiting:
            return
        element = waiting.pop()
        if not isinstance(element, pikepdf.Dictionary):
            continue
        kids = element.get("/K")
        if "/S" in element:
            yield element
        waiting += reversed(kids.as_list()) if isinstance(kids, pikepdf.Array) else [kids]
