"""Names of items in combined files: file names that differ, and titles of outline entries."""

from collections.abc import Iterable
from typing import Final

from chalicelib.core.text import safe_filename

_FIRST_SUFFIX: Final = 2


class DistinctNames:
    """File names of one archive, distinct in any case; items are named in order of their index.

    The names given so far are the whole state: a resumed archive builds it from its entries.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Begin with the names that the archive has already."""
        self._taken = {name.casefold() for name in taken}
        # Below its number all suffixes of a name are taken, so that equal names cost no search.
        self._next_suffixes: dict[str, int] = {}

    def add(self, filename: str | None, index: int, extension: str) -> str:
        """Return the name of a file: the item's, else `item-<index>`; a repeated one gets `-2`."""
        name = safe_filename(filename, fallback=f"item-{index}", extension=extension)
        key = name.casefold()
        if key in self._taken:
            name = self._with_suffix(name.removesuffix(f".{extension}"), extension)
        self._taken.add(name.casefold())
        return name

    def _with_suffix(self, stem: str, extension: str) -> str:
        key = f"{stem}.{extension}".casefold()
        suffix = self._next_suffixes.get(key, _FIRST_SUFFIX)
        while (name := f"{stem}-{suffix}.{extension}").casefold() in self._taken:
            suffix += 1
        self._next_suffixes[key] = suffix + 1
        return name


def item_title(filename: str | None, reference: str | None, index: int) -> str:
    """Return the title of an item's outline entry; items without a name count from 1."""
    return filename or reference or f"Item {index + 1}"
