"""Selection of pages: removes the others, with their structure elements and outline items."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from chalicelib.engine.pdf.tagging.structure_tree import StructureKid, as_list, is_element

if TYPE_CHECKING:
    import pikepdf

type _ObjGen = tuple[int, int]
# An item of the outline with its children.
type _OutlineItem = tuple[pikepdf.Object, list[_OutlineItem]]


def keep_pages(document: "pikepdf.Pdf", indexes: Iterable[int]) -> None:
    """Remove all pages but those with these indexes."""
    kept_indexes = set(indexes)
    if len(kept_indexes) == len(document.pages):
        return
    root = document.Root
    kept_ids: set[_ObjGen] = {document.pages[index].obj.objgen for index in kept_indexes}
    if "/StructTreeRoot" in root:
        _prune_structure(root.StructTreeRoot, kept_ids, _parent_tree_keys(document, kept_indexes))
    if "/Outlines" in root:
        _prune_outline(root, kept_ids)
    if "/Dests" in root:
        for name in [
            name
            for name, destination in root.Dests.items()
            if destination[0].objgen not in kept_ids
        ]:
            del root.Dests[name]
    for index in reversed(range(len(document.pages))):
        if index not in kept_indexes:
            del document.pages[index]


def _parent_tree_keys(document: "pikepdf.Pdf", kept_indexes: Iterable[int]) -> set[int]:
    """Return the keys of the kept pages and their annotations in the parent tree."""
    keys = set()
    for index in kept_indexes:
        page = document.pages[index]
        keys.add(int(page.get("/StructParents", -1)))
        keys.update(
            int(annotation.get("/StructParent", -1)) for annotation in page.get("/Annots", ())
        )
    return keys


def _prune_structure(tree: "pikepdf.Object", kept_ids: set[_ObjGen], keys: set[int]) -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    elements = list(_elements(tree))
    removed = _removed_elements(elements, kept_ids, frozenset())
    # A cell may name a header cell on a removed page: that element stays, without content.
    headers = {
        bytes(name)
        for element in elements
        if element.objgen not in removed
        for attribute in as_list(element.get("/A"))
        if not isinstance(attribute, int)
        for name in attribute.get("/Headers", ())
    }
    removed = _removed_elements(elements, kept_ids, headers)
    for element in elements:
        if element.objgen not in removed:
            _prune_element(element, kept_ids, removed)
    parents = pikepdf.NumberTree(tree.ParentTree)
    for key in [key for key in parents if key not in keys]:
        del parents[key]
    if "/IDTree" in tree:
        names = pikepdf.NameTree(tree.IDTree)
        for name in [name for name, element in names.items() if element.objgen in removed]:
            del names[name]


def _prune_element(
    element: "pikepdf.Object", kept_ids: set[_ObjGen], removed: set[_ObjGen]
) -> None:
    page = element.get("/Pg")
    kids = as_list(element.get("/K"))
    remaining = [kid for kid in kids if _is_kept(kid, page, kept_ids, removed)]
    if kids and not remaining:
        del element.K
    elif len(remaining) < len(kids):
        element.K = remaining
    if page is not None and page.objgen not in kept_ids:
        del element.Pg


def _elements(tree: "pikepdf.Object") -> "Iterator[pikepdf.Object]":
    """Yield the elements of the tree, parents before their kids."""
    pending = [tree]
    while pending:
        element = pending.pop()
        yield element
        pending.extend(kid for kid in as_list(element.get("/K")) if is_element(kid))


def _removed_elements(
    elements: "list[pikepdf.Object]", kept_ids: set[_ObjGen], headers: Iterable[bytes]
) -> set[_ObjGen]:
    """Return the elements that lost all their content, except header cells that are still named.

    An element that was empty before goes with its parent.
    """
    removed: set[_ObjGen] = set()
    # Kids come before their parents, so that a parent knows which of its kids are removed.
    for element in reversed(elements[1:]):
        kids, page = as_list(element.get("/K")), element.get("/Pg")
        filled = [kid for kid in kids if not is_element(kid) or "/K" in kid]
        is_removed = filled and not any(_is_kept(kid, page, kept_ids, removed) for kid in filled)
        if is_removed and not ("/ID" in element and bytes(element.ID) in headers):
            removed.add(element.objgen)
    return removed


def _is_kept(
    kid: StructureKid,
    element_page: "pikepdf.Object | None",
    kept_ids: set[_ObjGen],
    removed: set[_ObjGen],
) -> bool:
    if is_element(kid):
        return kid.objgen not in removed
    page = element_page if isinstance(kid, int) else kid.get("/Pg", element_page)
    return page is not None and page.objgen in kept_ids


def _prune_outline(root: "pikepdf.Object", kept_ids: set[_ObjGen]) -> None:
    _link_outline_items(root.Outlines, _kept_outline_items(root.Outlines, kept_ids))
    if "/First" not in root.Outlines:
        del root.Outlines


def _kept_outline_items(parent: "pikepdf.Object", kept_ids: set[_ObjGen]) -> list[_OutlineItem]:
    """Return the items to keep, each with its kept children.

    The children of a removed item take its place.
    """
    items: list[_OutlineItem] = []
    item = parent.get("/First")
    while item is not None:
        children = _kept_outline_items(item, kept_ids)
        items += [(item, children)] if item.Dest[0].objgen in kept_ids else children
        item = item.get("/Next")
    return items


def _link_outline_items(parent: "pikepdf.Object", items: list[_OutlineItem]) -> int:
    """Link the items below `parent`; return their number at all depths."""
    for name in ("/First", "/Last", "/Count"):
        if name in parent:
            del parent[name]
    if not items:
        return 0
    parent.First, parent.Last = items[0][0], items[-1][0]
    parent.Count = len(items) + sum(_link_outline_items(item, children) for item, children in items)
    for number, (item, _) in enumerate(items):
        item.Parent = parent
        for name, neighbour in (("/Prev", number - 1), ("/Next", number + 1)):
            if 0 <= neighbour < len(items):
                item[name] = items[neighbour][0]
            elif name in item:
                del item[name]
    return int(parent.Count)
