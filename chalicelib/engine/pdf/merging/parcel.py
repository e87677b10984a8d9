"""Objects that are copied together from a source, by name, with their references to each other."""

from collections.abc import Iterable, Sequence
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Object, Pdf

# qpdf copies by recursion: a level takes about 200 bytes of a stack of 8 MB.
_MAX_DEPTH: Final = 5_000


class CopySet:
    """Objects of a source that are copied together."""

    def __init__(self, source: Pdf, place: int) -> None:
        """Begin an empty set of the source at this place, from 1."""
        self._source, self.place = source, place
        self._content = Dictionary()

    def put(self, name: str, objects: Iterable[Object | int]) -> None:
        """Add a list of objects."""
        self._content[f"/{name}"] = Array([*objects])

    def copy_to(self, target: Pdf, pages: Sequence[Object]) -> "CopiedSet":
        """Copy the pages and the content.

        Raises ValueError where objects are nested so deeply that copying would end the process.
        """
        content = self._source.make_indirect(self._content)
        _require_shallow([*pages, content])
        # A page is copied when it is inserted; it is then known to all that refer to it.
        place = len(target.pages)
        for page in pages:
            target.pages.append(pikepdf.Page(page))
        copied_pages: list[Object] = [page.obj for page in target.pages[place:]]
        return CopiedSet(copied_pages, target.copy_foreign(content))


class CopiedSet:
    """Set of objects in the document that it was copied to."""

    def __init__(self, pages: Sequence[Object], content: Object) -> None:
        """Hold the copies."""
        self.pages, self._content = pages, content

    def objects(self, name: str) -> list[Object]:
        """Return a list of objects; an empty one if it was not put in."""
        return list(self._content.get(f"/{name}", Array()).as_list())


def _require_shallow(roots: Iterable[Object]) -> None:
    """Walk as qpdf does when it copies, and refuse objects that would take it too deep."""
    visited = set[tuple[int, int]]()
    for root in roots:
        path = [iter([root])]
        while path:
            for each in path[-1]:
                kids = _kids(each, visited)
                if kids:
                    path.append(iter(kids))
                    break
            else:
                path.pop()
            if len(path) > _MAX_DEPTH:
                message = "objects are nested too deeply"
                raise ValueError(message)


def _kids(each: object, visited: set[tuple[int, int]]) -> list[Object]:
    if not isinstance(each, Array | Dictionary | pikepdf.Stream):
        return []
    if each.is_indirect:
        if each.objgen in visited:
            return []
        visited.add(each.objgen)
    entries = each.stream_dict if isinstance(each, pikepdf.Stream) else each
    kids = entries.as_list() if isinstance(entries, Array) else entries.as_dict().values()
    return [kid for kid in kids if isinstance(kid, Array | Dictionary | pikepdf.Stream)]
