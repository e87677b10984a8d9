"""Repair of the browser's structure tree where ISO 32000-1, 14.8.4 is stricter.

Defects that only the author can remove stay: the order of headings, pictures without a text.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeGuard

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.pdf.text.chromium_pdf import StructureIndex

# The standard structure types of PDF 1.7 (ISO 32000-1, 14.8.4).
_PDF_17_TYPES: Final = """
Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5
H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link
Annot Ruby RB RT RP Warichu WT WP Figure Formula Form
"""
_STANDARD_TYPES: Final = frozenset(f"/{name}" for name in _PDF_17_TYPES.split())
# The browser's inline types that are newer than PDF 1.7; its other new types are blocks.
_INLINE_TYPES: Final = frozenset(["/Em", "/Strong", "/Sub"])
_LIST_ITEM_CHILDREN: Final = frozenset(["/Lbl", "/LBody"])
# An element, a reference to content, or the number of marked content (14.7.4).
type StructureKid = pikepdf.Object | int


def repair_structure_tree(
    document: "pikepdf.Pdf", index: "StructureIndex"
) -> "list[pikepdf.Object]":
    """Repair the tree; return the elements of links, in reading order."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    tree = document.Root.get("/StructTreeRoot") or _add_structure_tree(document)
    # The index comes from the printed bytes: what it lists may not be an element of that type.
    repairs = _ListItemRepair(document, tree)
    for element in _elements_by_number(document, index.list_items):
        if element.S == "/LI":
            repairs.wrap_in_list_body(element, as_list(element.get("/K")))
    for element in _elements_by_number(document, index.figures):
        kids = as_list(element.get("/K"))
        if element.S == "/Figure" and "/Alt" not in element and any(map(is_element, kids)):
            element.S = pikepdf.Name.Div
    _map_roles(tree, index.types - _STANDARD_TYPES)
    link_elements = _elements_by_number(document, index.annotation_parents)
    return [
        element for element in link_elements if element.S != "/LI" and element_annotations(element)
    ]


def _elements_by_number(
    document: "pikepdf.Pdf", numbers: Sequence[int]
) -> "Iterator[pikepdf.Object]":
    """Yield the objects with these numbers that are structure elements."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    for number in numbers:
        candidate = document.get_object(number, 0)
        if isinstance(candidate, pikepdf.Dictionary) and "/S" in candidate:
            yield candidate


def element_annotations(element: "pikepdf.Object") -> "list[pikepdf.Object]":
    """Return the annotations that belong to an element."""
    kids = as_list(element.get("/K"))
    return [kid.Obj for kid in kids if not isinstance(kid, int) and "/Obj" in kid]


def element_of(document: "pikepdf.Pdf", annotation: "pikepdf.Object") -> "pikepdf.Object | None":
    """Return the structure element of an annotation, or None in a PDF without tags."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    root: pikepdf.Object | None = document.Root.get("/StructTreeRoot")
    key: object = annotation.get("/StructParent")
    if root is None or not isinstance(key, int) or "/ParentTree" not in root:
        return None
    element = pikepdf.NumberTree(root.ParentTree).get(key)
    return element if isinstance(element, pikepdf.Dictionary) else None


def _add_structure_tree(document: "pikepdf.Pdf") -> "pikepdf.Object":
    """Return a new tree with one element; the browser gives an empty document none."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    name = pikepdf.Name
    tree = document.make_indirect(pikepdf.Dictionary(Type=name.StructTreeRoot))
    tree.K = document.make_indirect(
        pikepdf.Dictionary(Type=name.StructElem, S=name.Document, P=tree)
    )
    document.Root.StructTreeRoot = tree
    return tree


def as_list(value: "pikepdf.Object | None") -> list[StructureKid]:
    """Return the items of an array, a single value as a list, and None as an empty list."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    if value is None:
        return []
    return list(value) if isinstance(value, pikepdf.Array) else [value]


def is_element(kid: StructureKid) -> "TypeGuard[pikepdf.Object]":
    """Tell whether a kid is a structure element."""
    return not isinstance(kid, int) and "/S" in kid


def _map_roles(tree: "pikepdf.Object", types: frozenset[str]) -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    if types:
        name = pikepdf.Name
        roles = {
            type_: name.Span if type_ in _INLINE_TYPES else name.Div for type_ in sorted(types)
        }
        tree.RoleMap = pikepdf.Dictionary(roles)


class _ListItemRepair:
    """Repair of list items, which also updates the parent tree (ISO 32000-1, 14.7.4.4)."""

    def __init__(self, document: "pikepdf.Pdf", tree: "pikepdf.Object") -> None:
        import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

        self._document = document
        self._parents = pikepdf.NumberTree(tree.ParentTree) if "/ParentTree" in tree else None

    def wrap_in_list_body(self, item: "pikepdf.Object", kids: list[StructureKid]) -> None:
        """Put all kids of a list item but its labels into one LBody."""
        import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

        labels = [kid for kid in kids if is_element(kid) and kid.S == "/Lbl"]
        other_kids = [
            kid for kid in kids if not (is_element(kid) and str(kid.S) in _LIST_ITEM_CHILDREN)
        ]
        if not other_kids:
            return
        name = pikepdf.Name
        body = self._document.make_indirect(
            pikepdf.Dictionary(Type=name.StructElem, S=name.LBody, P=item, K=pikepdf.Array())
        )
        if "/Pg" in item:
            body.Pg = item.Pg
        for kid in kids:
            if is_element(kid) and kid.S == "/Lbl":
                continue
            body.K.append(kid)
            if is_element(kid):
                kid.P = body
            else:
                self._set_parent(kid, item, body)
        item.K = pikepdf.Array([*labels, body])

    def _set_parent(self, kid: StructureKid, old: "pikepdf.Object", new: "pikepdf.Object") -> None:
        """Make `new` the parent of a content item in the parent tree."""
        if self._parents is None:
            return
        content_id: StructureKid | None
        if isinstance(kid, int):
            content_id, holder = kid, old.get("/Pg")
        elif "/Obj" in kid:
            self._parents[int(kid.Obj.StructParent)] = new
            return
        else:
            content_id, holder = kid.get("/MCID"), kid.get("/Stm", kid.get("/Pg"))
        if content_id is not None and holder is not None and "/StructParents" in holder:
            self._parents[int(holder.StructParents)][int(content_id)] = new
