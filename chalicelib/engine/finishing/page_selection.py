"""Takes pages out of a document, with all that its structure and outline say of them."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from chalicelib.core.errors import RenderFailure

if TYPE_CHECKING:
    import pikepdf

type _ObjGen = tuple[int, int]


def selected_pages(page_ranges: str, count: int) -> list[int]:
    """Return the pages that are named, counted from 0; none named are all.

    Raises RenderFailure `render_failed` for a page that is not there, as the browser does.
    """
    if not page_ranges:
        return list(range(count))
    pages: set[int] = set()
    for part in page_ranges.split(","):
        first, _, last = part.partition("-")
        if int(first) > count:
            message = f"output.pdf.page_ranges names page {first.strip()}; there are {count}"
            raise RenderFailure("render_failed", message)
        pages.update(range(int(first) - 1, min(int(last or first), count)))
    return sorted(pages)


def keep_pages(document: "pikepdf.Pdf", indexes: Iterable[int]) -> None:
    """Keep these pages only, counted from 0."""
    kept = set(indexes)
    if len(kept) == len(document.pages):
        return
    root: Any = document.Root
    there: set[_ObjGen] = {_objgen(document.pages[index]) for index in kept}
    if "/StructTreeRoot" in root:
        _prune_structure(root.StructTreeRoot, there, _parent_tree_keys(document, kept))
    if "/Outlines" in root:
        _prune_outline(root, there)
    if "/Dests" in root:
        for name in [name for name, place in root.Dests.items() if place[0].objgen not in there]:
            del root.Dests[name]
    for index in reversed(range(len(document.pages))):
        if index not in kept:
            del document.pages[index]


def _objgen(page: Any) -> _ObjGen:
    number, generation = page.objgen
    return number, generation


def _parent_tree_keys(document: "pikepdf.Pdf", kept: Iterable[int]) -> set[int]:
    """Return the keys that the pages and their links have in the structure's parent tree."""
    keys = set()
    for index in kept:
        page = document.pages[index]
        keys.add(int(page.get("/StructParents", -1)))
        keys.update(int(link.get("/StructParent", -1)) for link in page.get("/Annots", []))
    return keys


def _prune_structure(tree: Any, kept_ids: set[_ObjGen], keys: set[int]) -> None:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    elements = list(_elements(tree))
    lost = _removed_elements(elements, kept_ids, frozenset())
    # A cell may be headed by one that stands on a page before: its place is kept, empty.
    headers = {
        bytes(name)
        for element in elements
        if element.objgen not in lost
        for attribute in _as_list(element.get("/A"))
        for name in attribute.get("/Headers", [])
    }
    lost = _removed_elements(elements, kept_ids, headers)
    for element in elements:
        if element.objgen not in lost:
            _prune_element(element, kept_ids, lost)
    parents = pikepdf.NumberTree(tree.ParentTree)
    for key in [key for key in parents if key not in keys]:
        del parents[key]
    if "/IDTree" in tree:
        names = pikepdf.NameTree(tree.IDTree)
        for name in [name for name, element in names.items() if element.objgen in lost]:
            del names[name]


def _prune_element(element: Any, kept_ids: set[_ObjGen], removed: set[_ObjGen]) -> None:
    here = element.get("/Pg")
    remaining = [
        kid for kid in _as_list(element.get("/K")) if _is_kept(kid, here, kept_ids, removed)
    ]
    if remaining:
        element.K = remaining
    elif "/K" in element:
        del element.K
    if here is not None and here.objgen not in kept_ids:
        del element.Pg


def _elements(tree: Any) -> Iterator[Any]:
    """Yield the tree's elements, each before its kids."""
    waiting = [tree]
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(kid for kid in _as_list(element.get("/K")) if _is_element(kid))


def _removed_elements(
    elements: list[Any], kept_ids: set[_ObjGen], headers: Iterable[bytes]
) -> set[_ObjGen]:
    """Return the elements all of whose content is gone; what was empty goes with its parent."""
    lost: set[_ObjGen] = set()
    for element in reversed(elements[1:]):
        kids, here = _as_list(element.get("/K")), element.get("/Pg")
        full = [kid for kid in kids if not _is_element(kid) or "/K" in kid]
        gone = full and not any(_is_kept(kid, here, kept_ids, lost) for kid in full)
        if gone and not ("/ID" in element and bytes(element.ID) in headers):
            lost.add(element.objgen)
    return lost


def _is_kept(kid: Any, here: Any, kept_ids: set[_ObjGen], removed: set[_ObjGen]) -> bool:
    if _is_element(kid):
        return kid.objgen not in removed
    page = here if isinstance(kid, int) else kid.get("/Pg", here)
    return page is not None and page.objgen in kept_ids


def _is_element(kid: Any) -> bool:
    return not isinstance(kid, int) and "/S" in kid


def _as_list(value: Any) -> list[Any]:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    if value is None:
        return []
    return list(value) if isinstance(value, pikepdf.Array) else [value]


def _prune_outline(root: Any, kept_ids: set[_ObjGen]) -> None:
    _link_outline_items(root.Outlines, _kept_outline_items(root.Outlines, kept_ids))
    if "/First" not in root.Outlines:
        del root.Outlines


def _kept_outline_items(parent: Any, kept_ids: set[_ObjGen]) -> list[Any]:
    """Return the items that stay, each with its own; those of one that goes take its place."""
    items: list[Any] = []
    item = parent.get("/First")
    while item is not None:
        own = _kept_outline_items(item, kept_ids)
        items += [(item, own)] if item.Dest[0].objgen in kept_ids else own
        item = item.get("/Next")
    return items


def _link_outline_items(parent: Any, items: list[Any]) -> int:
    """Make these the parent's items; return how many there are at all depths."""
    for name in ("/First", "/Last", "/Count"):
        if name in parent:
            del parent[name]
    if not items:
        return 0
    parent.First, parent.Last = items[0][0], items[-1][0]
    parent.Count = len(items) + sum(_link_outline_items(item, own) for item, own in items)
    for number, (item, _) in enumerate(items):
        item.Parent = parent
        for name, neighbour in (("/Prev", number - 1), ("/Next", number + 1)):
            if 0 <= neighbour < len(items):
                item[name] = items[neighbour][0]
            elif name in item:
                del item[name]
    return int(parent.Count)
