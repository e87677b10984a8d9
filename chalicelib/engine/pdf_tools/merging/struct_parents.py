"""Keys of the parent tree, as pages, annotations and their pictures and forms have them."""

from collections.abc import Mapping, Sequence

import pikepdf
from pikepdf import Dictionary, Object

from chalicelib.engine.combining.item_trees import dictionaries


def renumber_struct_parents(pages: Sequence[Object], numbers: Mapping[int, int]) -> None:
    """Give everything on the pages its new key; what has no entry loses its key."""
    visited = set[tuple[int, int]]()
    for page in pages:
        _renumber(page, numbers)
        for annotation in dictionaries(page.get("/Annots")):
            if annotation.objgen not in visited:
                _renumber(annotation, numbers)
            if annotation.is_indirect:
                visited.add(annotation.objgen)
        owners = [page]
        while owners:
            for drawing in _drawings(owners.pop()):
                if drawing.objgen not in visited:
                    visited.add(drawing.objgen)
                    _renumber(drawing, numbers)
                    owners.append(drawing)


def _drawings(owner: Object) -> list[Object]:
    """Return the pictures and forms among the resources of a page or a form."""
    resources = owner.get("/Resources")
    drawings = resources.get("/XObject") if isinstance(resources, Dictionary) else None
    if not isinstance(drawings, Dictionary):
        return []
    return [each for each in drawings.as_dict().values() if isinstance(each, pikepdf.Stream)]


def _renumber(owner: Object, numbers: Mapping[int, int]) -> None:
    for name in ("/StructParent", "/StructParents"):
        key: object = owner.get(name)
        if key is None:
            continue
        if isinstance(key, int) and key in numbers:
            owner[name] = numbers[key]
        else:
            del owner[name]
