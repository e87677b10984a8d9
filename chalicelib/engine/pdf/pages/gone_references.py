"""References from annotations of some pages to removed ones: answers, popups, fields of actions."""

from collections.abc import Callable, Iterable

from pikepdf import Array, Object, Stream

from chalicelib.engine.pdf.document.walk_objects import references
from chalicelib.engine.pdf.trees.name_trees import dictionaries
from chalicelib.engine.pdf.trees.parent_tree import ObjectId

type _Cut = tuple[Object, str | int, Object]


class GoneReferences:
    """References that are cut for one file, and put back for the next one."""

    def __init__(self) -> None:
        """Begin with a whole document."""
        self._cuts: list[_Cut] = []

    def restore(self) -> None:
        """Put back the cut references."""
        for holder, key, value in self._cuts:
            holder[key] = value
        self._cuts.clear()

    def cut(self, pages: Iterable[Object], is_gone: Callable[[ObjectId], bool]) -> None:
        """Cut references within the annotations of these pages to objects that are gone."""
        visited, waiting = set[ObjectId](), list[Object]()
        for page in pages:
            visited.add(page.objgen)
            waiting += [*dictionaries(page.get("/Annots")), *dictionaries(Array([page.get("/AA")]))]
        visited.update(each.objgen for each in waiting if each.is_indirect)
        while waiting:
            holder = waiting.pop()
            for key, value in references(holder):
                if value.is_indirect:
                    if value.objgen in visited:
                        continue
                    if is_gone(value.objgen):
                        self._cut(holder, key, value)
                        continue
                    visited.add(value.objgen)
                if not isinstance(value, Stream):
                    waiting.append(value)

    def _cut(self, holder: Object, key: str | int, value: Object) -> None:
        self._cuts.append((holder, key, value))
        if isinstance(key, int):
            holder[key] = None
        else:
            del holder[key]
