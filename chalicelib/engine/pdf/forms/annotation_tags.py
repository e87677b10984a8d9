"""Structure of flattened annotations: their elements get the drawing in their place."""

import re
from collections.abc import Collection, Iterator

import pikepdf
from pikepdf import Array, Dictionary, Name

type ObjectId = tuple[int, int]

_NOT_IN_TAGS = re.compile(r"[^A-Za-z0-9]")


class AnnotationTags:
    """Structure elements that refer to annotations which are drawn into the pages or removed."""

    def __init__(self, document: pikepdf.Pdf, gone: Collection[ObjectId]) -> None:
        """Find the elements that refer to the annotations `gone` (ISO 32000-1, 14.7.4.3)."""
        self._document = document
        self._elements: dict[ObjectId, pikepdf.Object] = {}
        # Lists of the parent tree by the pages' keys in it.
        self._lists: dict[ObjectId, pikepdf.Object] = {}
        self._tree: pikepdf.NumberTree | None = None
        root = document.Root.get("/StructTreeRoot")
        if isinstance(root, pikepdf.Dictionary) and gone:
            self._elements = dict(_references(root, gone))
            self._tree = _parent_tree(document, root)

    def tag(self, page: pikepdf.Page, annotation: pikepdf.Object) -> str | None:
        """Give the annotation's element marked content of the page; return how that begins.

        None for an annotation to which no element refers.
        """
        element = self._elements.pop(annotation.objgen, None)
        if element is None or not annotation.is_indirect:
            return None
        parents = self._parents_of(page)
        number = len(parents)
        parents.append(element)
        content = Dictionary(Type=Name.MCR, Pg=page.obj, MCID=number)
        element.K = Array(
            [content if _object_id(kid) == annotation.objgen else kid for kid in _kids(element)]
        )
        return (
            f"/{_NOT_IN_TAGS.sub('', str(element.get('/S', ''))) or 'Span'} <</MCID {number}>> BDC"
        )

    def remove(self, annotation: pikepdf.Object) -> None:
        """Remove references to an annotation that is gone."""
        key: object = annotation.get("/StructParent")
        if self._tree is not None and isinstance(key, int) and key in self._tree:
            del self._tree[key]
        element = self._elements.pop(annotation.objgen, None)
        if element is not None:
            element.K = Array(
                [kid for kid in _kids(element) if _object_id(kid) != annotation.objgen]
            )

    def _parents_of(self, page: pikepdf.Page) -> pikepdf.Object:
        """Return the elements of the page's marked content, by their numbers."""
        known = self._lists.get(page.obj.objgen)
        if known is not None:
            return known
        assert self._tree is not None
        key: object = page.obj.get("/StructParents")
        if not isinstance(key, int):
            key = max((int(each) for each in self._tree), default=-1) + 1
            page.obj.StructParents = key
        parents = self._tree[key] if key in self._tree else None  # noqa: SIM401 -- `get` raises for none
        if not isinstance(parents, pikepdf.Array):
            parents = Array()
        listed = self._document.make_indirect(Array([*parents]))
        # Numbers that the content uses although nothing lists them are not used again.
        while len(listed) <= _highest_number(page):
            listed.append(None)
        self._tree[key] = listed
        self._lists[page.obj.objgen] = listed
        return listed


def _references(
    root: pikepdf.Object, gone: Collection[ObjectId]
) -> Iterator[tuple[ObjectId, pikepdf.Object]]:
    """Yield the annotations that structure elements refer to, with the elements."""
    seen: set[ObjectId] = set()
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.is_indirect and element.objgen in seen:
            continue
        seen.add(element.objgen)
        for kid in _kids(element):
            if not isinstance(kid, pikepdf.Dictionary):
                continue
            annotation = _object_id(kid)
            if annotation is None:
                waiting.append(kid)
            elif annotation in gone:
                yield annotation, element


def _object_id(kid: pikepdf.Object) -> ObjectId | None:
    """Return the object to which a kid refers, if it is an object reference."""
    if not isinstance(kid, pikepdf.Dictionary) or kid.get("/Type") != "/OBJR":
        return None
    target = kid.get("/Obj")
    return target.objgen if isinstance(target, pikepdf.Dictionary) else (0, 0)


def _kids(element: pikepdf.Object) -> list[pikepdf.Object]:
    kids = element.get("/K", Array())
    return [*kids] if isinstance(kids, pikepdf.Array) else [kids]


def _parent_tree(document: pikepdf.Pdf, root: pikepdf.Object) -> pikepdf.NumberTree:
    if not isinstance(root.get("/ParentTree"), pikepdf.Dictionary):
        root.ParentTree = pikepdf.NumberTree.new(document).obj
    return pikepdf.NumberTree(root.ParentTree)


def _highest_number(page: pikepdf.Page) -> int:
    try:
        instructions = pikepdf.parse_content_stream(page, "BDC")
    except pikepdf.PdfError:
        return -1
    numbers: list[object] = [
        each.operands[1].get("/MCID")
        for each in instructions
        if len(each.operands) > 1 and isinstance(each.operands[1], pikepdf.Dictionary)
    ]
    return max((number for number in numbers if isinstance(number, int)), default=-1)
