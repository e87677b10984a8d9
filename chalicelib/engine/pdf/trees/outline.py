"""Outline of a document: read into a tree of entries, and written with some of them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from pikepdf import Dictionary, Object, Pdf

from chalicelib.engine.pdf.trees.destinations import PageDestinations

_LINKS = ("/Parent", "/Prev", "/Next", "/First", "/Last", "/Count")


class OutlineEntry(NamedTuple):
    """Entry of an outline; `targets` are the pages that it leads to, if it leads to pages."""

    item: Object
    targets: tuple[int | None, ...]
    is_open: bool
    entries: "list[OutlineEntry]"


class Outline:
    """Outline of a document."""

    def __init__(self, document: Pdf, destinations: PageDestinations) -> None:
        """Read the outline. Raises ValueError for one with a loop."""
        self._document = document
        root = document.Root.get("/Outlines")
        self._root = root if isinstance(root, Dictionary) else None
        self.entries = [] if self._root is None else _read_entries(self._root, destinations)
        self._parents = list[int]()
        self._entries_of_page = defaultdict[int | None, list[int]](list)
        self._flat = list[OutlineEntry]()
        self._pageless = list[int]()
        self._index()

    def _index(self) -> None:
        waiting = [(entry, -1) for entry in reversed(self.entries)]
        while waiting:
            entry, parent = waiting.pop()
            number = len(self._flat)
            self._flat.append(entry)
            self._parents.append(parent)
            if entry.targets:
                self._entries_of_page[entry.targets[0]].append(number)
            elif not entry.entries:
                self._pageless.append(number)
            waiting += [(each, number) for each in reversed(entry.entries)]

    def write(self, kept: Collection[int]) -> None:
        """Leave the document the entries of these pages; entries below gone ones move up."""
        if self._root is None:
            return
        numbers = {
            number
            for index in kept
            for number in self._entries_of_page.get(index, ())
            if all(target in kept for target in self._flat[number].targets)
        }
        numbers.update(self._pageless)
        chosen = self._with_headings(numbers)
        entries = self._kept_entries(chosen)
        if entries:
            link_entries(self._root, entries)
            self._document.Root.Outlines = self._root
        elif "/Outlines" in self._document.Root:
            del self._document.Root.Outlines

    def _with_headings(self, numbers: set[int]) -> list[int]:
        """Return the entries, and those above them that lead nowhere themselves."""
        chosen = set(numbers)
        for number in numbers:
            parent = self._parents[number]
            while parent >= 0 and parent not in chosen:
                if not self._flat[parent].targets:
                    chosen.add(parent)
                parent = self._parents[parent]
        return sorted(chosen)

    def _kept_entries(self, chosen: list[int]) -> list[OutlineEntry]:
        kept, first_level = dict[int, OutlineEntry](), list[OutlineEntry]()
        for number in chosen:
            entry = kept[number] = self._flat[number]._replace(entries=[])
            parent = self._parents[number]
            while parent >= 0 and parent not in kept:
                parent = self._parents[parent]
            (kept[parent].entries if parent >= 0 else first_level).append(entry)
        return first_level


def _read_entries(root: Object, destinations: PageDestinations) -> list[OutlineEntry]:
    first_level: list[OutlineEntry] = []
    parents, visited = [(root, first_level)], set[tuple[int, int]]()
    while parents:
        parent, entries = parents.pop()
        item = parent.get("/First")
        while isinstance(item, Dictionary):
            if item.objgen in visited:
                message = f"object {item.objgen[0]} is twice in the outline"
                raise ValueError(message)
            visited.add(item.objgen)
            entry = _read_entry(item, destinations)
            entries.append(entry)
            parents.append((item, entry.entries))
            item = item.get("/Next")
    return first_level


def _read_entry(item: Object, destinations: PageDestinations) -> OutlineEntry:
    targets = destinations.pages_of_action(item.get("/A"))
    if "/Dest" in item:
        targets = [destinations.page_of(item["/Dest"])]
    # Elements of the structure hold their pages, and no reader asks for them here.
    if "/SE" in item:
        del item.SE
    count = item.get("/Count", 0)
    return OutlineEntry(item, tuple(targets), isinstance(count, int) and count > 0, [])


def link_entries(root: Object, entries: list[OutlineEntry]) -> None:
    """Make the entries those of an outline, with the references and counts of its items."""
    order = [OutlineEntry(root, (), is_open=True, entries=entries), *all_entries(entries)]
    unlink_entries(entry.item for entry in order)
    shown = dict[int, int]()
    for entry in reversed(order):
        item, kids = entry.item, entry.entries
        visible = sum(1 + (shown[id(kid)] if kid.is_open else 0) for kid in kids)
        shown[id(entry)] = visible
        if not kids:
            continue
        item.First, item.Last = kids[0].item, kids[-1].item
        item.Count = visible if entry.is_open else -visible
    for entry in order:
        for before, after in zip(entry.entries, entry.entries[1:], strict=False):
            before.item.Next, after.item.Prev = after.item, before.item
        for kid in entry.entries:
            kid.item.Parent = entry.item


def all_entries(entries: Sequence[OutlineEntry]) -> list[OutlineEntry]:
    """Return the entries of all levels: each level as a whole, from the first one on."""
    order = [*entries]
    for entry in order:
        order += entry.entries
    return order


def unlink_entries(items: Iterable[Object]) -> None:
    """Remove the references between the items of an outline."""
    for item in items:
        for key in _LINKS:
            if key in item:
                del item[key]
