"""Selection of pages: removes the others, with their structure elements and outline items."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from chalicelib.engine.pdf.tagging.structure_tree import StructureKid, as_list, is_element

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.pdf.trees.outline import OutlineEntry

type _ObjGen = tuple[int, int]


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

    from chalicelib.engine.pdf.trees.structure import elements_below  # noqa: PLC0415 -- as above

    elements = [tree, *elements_below(tree)]
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
    from chalicelib.engine.pdf.trees.outline import link_entries  # noqa: PLC0415 -- loads pikepdf

    entries = _kept_entries(root.Outlines, kept_ids)
    if entries:
        link_entries(root.Outlines, entries)
    else:
        del root.Outlines


def _kept_entries(parent: "pikepdf.Object", kept_ids: set[_ObjGen]) -> "list[OutlineEntry]":
    """Return the entries to keep, each with its kept kids.

    The kids of a removed entry take its place. The browser leaves all entries open.
    """
    from chalicelib.engine.pdf.trees.outline import OutlineEntry  # noqa: PLC0415 -- as above

    entries: list[OutlineEntry] = []
    item = parent.get("/First")
    while item is not None:
        kids = _kept_entries(item, kept_ids)
        is_kept = item.Dest[0].objgen in kept_ids
        entries += [OutlineEntry(item, (), is_open=True, entries=kids)] if is_kept else kids
        item = item.get("/Next")
    return entries
