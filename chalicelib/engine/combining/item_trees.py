"""Trees of an item: names and numbers, attributes of its pages, and fields of its form.

All walks are bounded: each object is visited once, and a cycle is an error.
"""

from collections.abc import Iterator
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

# Attributes that a page may have from the nodes above it (ISO 32000-1, 7.7.3.4).
_INHERITED: Final = ("/Resources", "/MediaBox", "/CropBox", "/Rotate")
_MAX_PAGE_DEPTH: Final = 100


def tree_entries(root: object, leaf_key: str) -> Iterator[tuple[Object, Object]]:
    """Yield keys and values of a name tree (`/Names`) or number tree (`/Nums`).

    Raises ValueError for a cycle.
    """
    nodes, visited = [root], set[tuple[int, int]]()
    while nodes:
        node = nodes.pop()
        if not isinstance(node, Dictionary):
            continue
        _visit(node, visited)
        pairs, kids = node.get(leaf_key), node.get("/Kids")
        if isinstance(pairs, Array):
            values = list(pairs.as_list())
            yield from zip(values[::2], values[1::2], strict=False)
        if isinstance(kids, Array):
            nodes.extend(reversed(list(kids.as_list())))


def inherit_attributes(document: Pdf, page: Object) -> None:
    """Copy to a page the attributes of the nodes above it; pages share the dictionaries."""
    missing = [key for key in _INHERITED if key not in page]
    node = page.get("/Parent")
    for _ in range(_MAX_PAGE_DEPTH):
        if not missing or not isinstance(node, Dictionary):
            return
        for key in [key for key in missing if key in node]:
            value = node[key]
            if isinstance(value, Dictionary) and not value.is_indirect:
                node[key] = value = document.make_indirect(value)
            page[key] = value
            missing.remove(key)
        node = node.get("/Parent")


def _visit(node: Object, visited: set[tuple[int, int]]) -> None:
    if node.is_indirect:
        if node.objgen in visited:
            message = f"object {node.objgen[0]} is twice in a tree"
            raise ValueError(message)
        visited.add(node.objgen)


class FormFields:
    """Fields of a form as they stand in the merged one: `fields`, and their `new_names`.

    Fields whose name is `taken` become kids of a field `prefix`: the name of a field is that of its
    parents and its own, with full stops between.
    """

    def __init__(self, document: Pdf, form: Object, prefix: str, taken: frozenset[str]) -> None:
        """Read the fields of the first level."""
        self.fields: list[Object] = []
        self.new_names: list[str] = []
        repeated: list[Object] = []
        for field in dictionaries(form.get("/Fields")):
            # The defaults of the form become those of its fields: two forms may have two.
            for key in ("/DA", "/Q"):
                if key in form and key not in field:
                    field[key] = form[key]
            name = str(field.get("/T", ""))
            if name in taken:
                repeated.append(field)
            else:
                self.fields.append(field)
                self.new_names.append(name)
        if repeated:
            parent = document.make_indirect(Dictionary(T=String(prefix), Kids=Array(repeated)))
            self.fields.append(parent)
            for field in repeated:
                field.Parent = parent


def final_roles(role_map: object) -> dict[bytes, bytes]:
    """Return the standard type of each type of structure elements, as names of a PDF."""
    if not isinstance(role_map, Dictionary):
        return {}
    roles = {key: str(role) for key, role in role_map.as_dict().items() if isinstance(role, Name)}
    result = {}
    for key, role in roles.items():
        final = role
        for _ in range(len(roles)):
            if final not in roles:
                break
            final = roles[final]
        result[Name(key).unparse()] = Name(final).unparse()
    return result


def dictionaries(objects: object) -> list[Object]:
    """Return the dictionaries of an array; none for anything else."""
    values: list[Object] = list(objects.as_list()) if isinstance(objects, Array) else []
    return [each for each in values if isinstance(each, Dictionary)]
