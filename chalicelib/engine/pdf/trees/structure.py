"""Structure tree of a tagged document, and the part of it that belongs to some pages."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pikepdf import Array, Dictionary, Object, Pdf, String

from chalicelib.engine.pdf.trees.destinations import PageDestinations
from chalicelib.engine.pdf.trees.name_trees import dictionaries, tree_entries
from chalicelib.engine.pdf.trees.parent_tree import ObjectId, ParentTree

_NOTHING: Final = -1
# Id of objects that are within others.
_DIRECT: Final = (0, 0)
_CONTENT_TYPES: Final = ("/MCR", "/OBJR")


class _Kid(NamedTuple):
    """Kid of an element: content with the index of its page, or the number of an element."""

    content: Object | int | None
    number: int


@dataclass(slots=True)
class _Element:
    item: Object
    parent: int
    page: int
    kids: list[_Kid] = field(default_factory=list)
    is_hollow: bool = True
    """Nothing in it or below it is content of a page."""
    is_whole: bool = True
    """It is as it was read. Writing an entry takes ten times as long as this comparison."""


class Structure:
    """Structure tree; pages are indexes, elements are numbers in the order of reading."""

    def __init__(
        self,
        document: Pdf,
        pages: Sequence[Object],
        destinations: PageDestinations,
        annotation_pages: Mapping[ObjectId, int],
    ) -> None:
        """Read the tree. Raises ValueError for one with a loop."""
        self._document, self._destinations = document, destinations
        self._annotation_pages = annotation_pages
        root = document.Root.get("/StructTreeRoot")
        self._root = root if isinstance(root, Dictionary) else None
        self._elements: list[_Element] = []
        self._numbers: dict[ObjectId, int] = {}
        self._elements_of_page = defaultdict[int, list[int]](list)
        self._ids: dict[int, list[bytes]] = {}
        if self._root is None:
            return
        self._first_level = self._read_elements(self._root)
        self._parent_tree = ParentTree(self._root, pages, self._numbers)
        for key, item in tree_entries(self._root.get("/IDTree"), "/Names"):
            if isinstance(item, Dictionary) and isinstance(key, String):
                number = self._numbers.get(item.objgen, _NOTHING)
                self._ids.setdefault(number, []).append(bytes(key))

    def write(self, kept: Collection[int]) -> None:
        """Keep the elements of these pages and empty elements; remove all others."""
        if self._root is None:
            return
        chosen = self._chosen_elements(kept)
        if not chosen:
            if "/StructTreeRoot" in self._document.Root:
                del self._document.Root.StructTreeRoot
            return
        self._document.Root.StructTreeRoot = self._root
        self._root.K = self._kept_kids(self._first_level, chosen, kept)
        for number in chosen:
            self._write_element(self._elements[number], chosen, kept)
        self._root.ParentTree = self._parent_tree.of_pages(kept, chosen)
        if self._ids:
            ids = {key: number for number in chosen for key in self._ids.get(number, ())}
            parts = [
                part for key in sorted(ids) for part in (String(key), self._elements[ids[key]].item)
            ]
            self._root.IDTree = Dictionary(Names=Array(parts))

    def _chosen_elements(self, kept: Collection[int]) -> set[int]:
        """Return the elements with content on these pages, and all above them."""
        chosen = set[int]()
        for index in kept:
            for element in self._elements_of_page.get(index, ()):
                number = element
                while number != _NOTHING and number not in chosen:
                    chosen.add(number)
                    number = self._elements[number].parent
        return chosen

    def _kept_kids(
        self, kids: Sequence[_Kid], chosen: Collection[int], kept: Collection[int]
    ) -> Array:
        kept_kids: list[Object | int] = []
        for content, number in kids:
            if content is not None:
                if number in kept:
                    kept_kids.append(content)
            elif number in chosen or self._elements[number].is_hollow:
                kept_kids.append(self._elements[number].item)
        return Array(kept_kids)

    def _write_element(
        self, element: _Element, chosen: Collection[int], kept: Collection[int]
    ) -> None:
        item = element.item
        keeps_all = (element.page in kept or element.page == _NOTHING) and all(
            number in (kept if content is not None else chosen) for content, number in element.kids
        )
        if keeps_all and element.is_whole:
            return
        element.is_whole = keeps_all
        item.K = self._kept_kids(element.kids, chosen, kept)
        if element.page in kept:
            item.Pg = self._destinations.pages[element.page]
        elif "/Pg" in item:
            del item.Pg

    def _read_elements(self, root: Object) -> list[_Kid]:
        first_level = self._read_kids(root, _NOTHING)
        # Elements are appended while their parents are read.
        for number, element in enumerate(self._elements):
            element.kids = self._read_kids(element.item, number)
            for content, page in element.kids:
                if content is not None and page != _NOTHING:
                    element.is_hollow = False
                    self._elements_of_page[page].append(number)
        self._propagate_content()
        return first_level

    def _propagate_content(self) -> None:
        for element in reversed(self._elements):
            if element.is_hollow:
                if "/Pg" in element.item:
                    del element.item.Pg
            elif element.parent != _NOTHING:
                self._elements[element.parent].is_hollow = False

    def _read_kids(self, item: Object, parent: int) -> list[_Kid]:
        # References between elements would hold pages that are gone.
        if "/Ref" in item:
            del item.Ref
        kids = item.get("/K")
        listed: list[object] = list(kids.as_list()) if isinstance(kids, Array) else [kids]
        page = self._elements[parent].page if parent != _NOTHING else _NOTHING
        read = []
        for kid in listed:
            if isinstance(kid, int):
                read.append(_Kid(kid, page))
            elif isinstance(kid, Dictionary):
                if str(kid.get("/Type", "")) in _CONTENT_TYPES:
                    read.append(_Kid(kid, self._page_of_content(kid, page)))
                else:
                    read.append(_Kid(None, self._add_element(kid, parent)))
        if parent != _NOTHING:
            self._elements[parent].is_whole = kids is None or len(read) == len(listed)
        return read

    def _page_of_content(self, content: Object, page: int) -> int:
        target = content.get("/Obj")
        if isinstance(target, Dictionary) and target.objgen in self._annotation_pages:
            return self._annotation_pages[target.objgen]
        own = self._destinations.index_of(content.get("/Pg"))
        return page if own is None else own

    def _add_element(self, item: Object, parent: int) -> int:
        key = item.objgen
        if key == _DIRECT:
            item = self._document.make_indirect(item)
            key = item.objgen
        if key in self._numbers:
            message = f"object {key[0]} is twice in the structure tree"
            raise ValueError(message)
        number = self._numbers[key] = len(self._elements)
        holder = item.get("/Pg")
        page = self._destinations.index_of(holder)
        if holder is not None and page is None:
            del item.Pg
        self._elements.append(_Element(item, parent, _NOTHING if page is None else page))
        return number


def dictionary_kids(holder: Object) -> list[Object]:
    """Return the kids of the root or of an element that are dictionaries: elements, references."""
    kids = holder.get("/K")
    return dictionaries(kids if isinstance(kids, Array) else Array([kids]))


def elements_below(root: Object) -> Iterator[Object]:
    """Yield all elements, each before its kids. Raises ValueError for a loop."""
    waiting, visited = dictionary_kids(root), set[tuple[int, int]]()
    while waiting:
        element = waiting.pop()
        if element.is_indirect:
            if element.objgen in visited:
                message = f"object {element.objgen[0]} is twice in the structure tree"
                raise ValueError(message)
            visited.add(element.objgen)
        if "/S" in element:
            yield element
            waiting += dictionary_kids(element)
