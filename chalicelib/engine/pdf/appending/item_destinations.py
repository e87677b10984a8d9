"""Renaming of an item's named destinations, wherever it names one."""

import hashlib
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, String

from chalicelib.engine.pdf.trees.destination_names import DestinationNames

_MAX_ACTIONS: Final = 1_000
# The state of a merge has two bytes for the length of a name.
_MAX_NAME_BYTES: Final = 32_000


class ItemDestinations:
    """Named destinations of an item. Each name gets the prefix of the item."""

    def __init__(self, root: Object, prefix: bytes) -> None:
        """Read the names of the catalog. Raises ValueError for a name tree with a loop."""
        self._names, self._prefix = DestinationNames(root), prefix
        # Owners may share an action, and pages an annotation.
        self._visited = set[tuple[int, int]]()

    @property
    def entries(self) -> dict[bytes, Object]:
        """Return the destinations by their new names."""
        return {self._new_name(text): each for text, each in self._names.destinations.items()}

    def rename_in_page(self, page: Object) -> None:
        """Rename the destinations of a page, its annotations and their actions."""
        annotations = page.get("/Annots")
        owners = list(annotations.as_list()) if isinstance(annotations, Array) else []
        for owner in (page, *owners):
            if isinstance(owner, Dictionary):
                self._rename_in_owner(owner)

    def rename_in_outline(self, root: Object) -> list[Object]:
        """Rename the destinations of an outline; return the items of its first level.

        Raises ValueError for a cycle.
        """
        first_level: list[Object] = []
        parents, visited = [root], set[tuple[int, int]]()
        while parents:
            parent = parents.pop()
            item = parent.get("/First")
            while isinstance(item, Dictionary):
                if item.is_indirect and item.objgen in visited:
                    message = f"object {item.objgen[0]} is twice in the outline"
                    raise ValueError(message)
                visited.add(item.objgen)
                self._rename_in_owner(item)
                if parent is root:
                    first_level.append(item)
                parents.append(item)
                item = item.get("/Next")
        return first_level

    def _rename_in_owner(self, owner: Object) -> None:
        if not self._is_new(owner):
            return
        self._rename(owner, "/Dest")
        triggers = owner.get("/AA")
        actions: list[object] = [owner.get("/A")]
        if isinstance(triggers, Dictionary) and self._is_new(triggers):
            actions += triggers.as_dict().values()
        self._rename_in_actions(actions)

    def _rename_in_actions(self, actions: list[object]) -> None:
        """Rename the destinations of actions and of their `Next` actions."""
        for _ in range(_MAX_ACTIONS):
            if not actions:
                return
            action = actions.pop()
            if not isinstance(action, Dictionary) or not self._is_new(action):
                continue
            if action.get("/S") == Name.GoTo:
                self._rename(action, "/D")
            following = action.get("/Next")
            actions += following.as_list() if isinstance(following, Array) else [following]
        message = "a chain of actions has no end"
        raise ValueError(message)

    def _rename(self, owner: Object, key: str) -> None:
        text = self._names.text_of(owner.get(key))
        if text is not None:
            owner[key] = String(self._new_name(text))

    def _new_name(self, text: bytes) -> bytes:
        if len(text) > _MAX_NAME_BYTES:
            text = hashlib.sha256(text).hexdigest().encode()
        return self._prefix + text

    def _is_new(self, each: Object) -> bool:
        """Tell whether an object is met for the first time."""
        if not each.is_indirect:
            return True
        if each.objgen in self._visited:
            return False
        self._visited.add(each.objgen)
        return True
