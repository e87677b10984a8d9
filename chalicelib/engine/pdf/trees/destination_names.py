"""Names of destinations in all their forms: strings of a name tree, and names of PDF 1.1.

ISO 32000-1, 12.3.2.3, keeps the two forms apart, but many readers look both up in one space. So the
names of a document are texts of one space here.
"""

import re
from collections.abc import Mapping
from itertools import count
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, String

from chalicelib.engine.pdf.trees.name_trees import named_tree, string_entries

_ESCAPE: Final = re.compile(rb"#([0-9A-Fa-f]{2})")
_SECOND: Final = 2


class DestinationNames:
    """Named destinations of a document by text.

    A name of PDF 1.1 that leads elsewhere than the string of the same text gets a number.
    """

    def __init__(self, root: Object) -> None:
        """Read the catalog. Raises ValueError for a name tree with a loop."""
        self.destinations, old = string_entries(named_tree(root, "/Dests")), root.get("/Dests")
        self._texts: dict[bytes, bytes] = {}
        """Texts of the names of PDF 1.1 that have a number."""
        if isinstance(old, Dictionary):
            # A dictionary of Python would refuse names that are not UTF-8.
            named = old.items()
            self._add_names({key[1:].encode(errors="surrogateescape"): each for key, each in named})

    @property
    def is_ambiguous(self) -> bool:
        """Tell whether a string and a name of the same text lead to different places."""
        return bool(self._texts)

    def text_of(self, reference: object) -> bytes | None:
        """Return the text of a destination that is a string or a name."""
        if isinstance(reference, String):
            return bytes(reference)
        if isinstance(reference, Name):
            text = name_bytes(reference)
            return self._texts.get(text, text)
        return None

    def _add_names(self, names: Mapping[bytes, Object]) -> None:
        strings = dict(self.destinations)
        taken = strings.keys() | names.keys()
        for name, value in names.items():
            text = name
            if name in strings and not _is_same(strings[name], value):
                numbered = (b"%b-%d" % (name, number) for number in count(_SECOND))
                text = self._texts[name] = next(each for each in numbered if each not in taken)
                taken.add(text)
            self.destinations[text] = value


def name_bytes(name: Name) -> bytes:
    """Return the bytes of a name, which need not be UTF-8."""
    return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), name.unparse()[1:])


def _is_same(first: object, second: object) -> bool:
    return (
        isinstance(first, Array | Dictionary)
        and isinstance(second, Array | Dictionary)
        and first.unparse(resolved=True) == second.unparse(resolved=True)
    )
