"""Parent tree of a structure: which elements the content of a page belongs to."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from pikepdf import Array, Dictionary, Object

from chalicelib.engine.pdf.trees.name_trees import dictionaries, tree_entries

type ObjectId = tuple[int, int]


class ParentTree:
    """Entries of the parent tree by the pages whose keys they have.

    Entries of a key that no page and no annotation has are those of pictures and forms in the
    resources of pages; they follow their elements.
    """

    def __init__(
        self,
        root: Object,
        pages: Sequence[Object],
        numbers: Mapping[ObjectId, int],
    ) -> None:
        """Read the tree; `numbers` are those of the elements."""
        self._numbers = numbers
        self._entries = parent_entries(root.get("/ParentTree"))
        self._keys_of_page = defaultdict[int, list[int]](list)
        self._keys_of_element = defaultdict[int, list[int]](list)
        known = set[int]()
        for index, page in enumerate(pages):
            keys: list[object] = [page.get("/StructParents")]
            keys += [each.get("/StructParent") for each in dictionaries(page.get("/Annots"))]
            numbers_of_page = {key for key in keys if isinstance(key, int)}
            self._keys_of_page[index] = sorted(numbers_of_page & self._entries.keys())
            known |= numbers_of_page
        for key in self._entries.keys() - known:
            for number in self._elements_of(key):
                self._keys_of_element[number].append(key)

    def of_pages(self, kept: Collection[int], chosen: Collection[int]) -> Dictionary:
        """Return the tree of these pages and elements."""
        keys = {key for index in kept for key in self._keys_of_page[index]}
        keys.update(key for number in chosen for key in self._keys_of_element.get(number, ()))
        parts: list[Object | int] = []
        for key in sorted(keys):
            entry = self._chosen_only(self._entries[key], chosen)
            if entry is not None:
                parts += [key, entry]
        return Dictionary(Nums=Array(parts))

    def _chosen_only(self, entry: Object, chosen: Collection[int]) -> Object | None:
        if isinstance(entry, Dictionary):
            return entry if self._numbers.get(entry.objgen) in chosen else None
        return Array(
            [
                each
                if isinstance(each, Dictionary) and self._numbers.get(each.objgen) in chosen
                else None
                for each in entry.as_list()
            ]
        )

    def _elements_of(self, key: int) -> set[int]:
        entry = self._entries[key]
        items = dictionaries(entry) if isinstance(entry, Array) else [entry]
        numbers = {self._numbers.get(item.objgen) for item in items}
        return {number for number in numbers if number is not None}


def parent_entries(tree: object) -> dict[int, Object]:
    """Return the entries of a parent tree by key: an element, or the elements of some content.

    Raises ValueError for a cycle.
    """
    return {
        int(key): value
        for key, value in tree_entries(tree, "/Nums")
        if isinstance(value, Dictionary | Array)
    }
