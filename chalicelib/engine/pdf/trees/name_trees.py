"""Name trees and number trees (ISO 32000-1, 7.9.6 and 7.9.7).

Walks are bounded: each object is visited once, and a cycle is an error.
"""

from collections.abc import Iterator

from pikepdf import Array, Dictionary, Object, String


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


def string_entries(root: object) -> dict[bytes, Object]:
    """Return the values of a name tree by the bytes of their names; raises as `tree_entries`."""
    entries = tree_entries(root, "/Names")
    return {bytes(key): value for key, value in entries if isinstance(key, String)}


def named_tree(catalog: Object, name: str) -> Object | None:
    """Return a name tree of the catalog, such as `/Dests`, or None."""
    names = catalog.get("/Names")
    return names.get(name) if isinstance(names, Dictionary) else None


def _visit(node: Object, visited: set[tuple[int, int]]) -> None:
    if node.is_indirect:
        if node.objgen in visited:
            message = f"object {node.objgen[0]} is twice in a tree"
            raise ValueError(message)
        visited.add(node.objgen)


def dictionaries(objects: object) -> list[Object]:
    """Return the dictionaries of an array; none for anything else."""
    values: list[Object] = list(objects.as_list()) if isinstance(objects, Array) else []
    return [each for each in values if isinstance(each, Dictionary)]
