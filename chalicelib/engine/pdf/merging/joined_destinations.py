"""Named destinations of joined documents: a name leads to the place that its document means."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from pikepdf import Name, Object, Pdf, String

from chalicelib.engine.pdf.merging.joined_names import distinct_keys, name_tree, names_root
from chalicelib.engine.pdf.merging.parcel import CopiedSet, CopySet
from chalicelib.engine.pdf.trees.actions import actions_of, chained_actions
from chalicelib.engine.pdf.trees.destination_names import DestinationNames

# Marks of strings in UTF-16, and its encodings.
_WIDE: Final = {b"\xfe\xff": "utf-16-be", b"\xff\xfe": "utf-16-le"}
_MARK_BYTES: Final = 2

# Dictionary and key of a destination that is named.
type _Reference = tuple[Object, str]


class JoinedDestinations:
    """Names of all documents, one name tree. Those of PDF 1.1 stay if no other document has names.

    A name that only links have is kept apart as well: it must not find another document's.
    """

    def __init__(self, document: Pdf, owners: Iterable[Object]) -> None:
        """Begin with those of the first document and its owners of links and actions."""
        root = document.Root
        self._document, self._names = document, DestinationNames(root)
        opening = [(root, "/OpenAction"), *_of_actions(chained_actions(root.get("/OpenAction")))]
        own = chain(_named_only([*opening, *_of_actions(actions_of(root))]), _references(owners))
        self._references = list(own)
        self._entries = dict(self._names.destinations)
        self._taken = {_reading(text) for text in _texts(self._names, self._references)}
        self._is_changed = self._names.is_ambiguous

    def pack(self, source: Pdf, owners: Iterable[Object], copy_set: CopySet) -> None:
        """Rename the source's names that are taken, in all owners."""
        names, references = DestinationNames(source.Root), list(_references(owners))
        new_texts = _distinct_texts(_texts(names, references), self._taken, copy_set.place)
        self._taken.update(map(_reading, new_texts.values()))
        _write(references, names, new_texts)
        copy_set.put("Dests", names.destinations.values())
        copy_set.put("DestNames", [String(new_texts[text]) for text in names.destinations])

    def unpack(self, copied: CopiedSet) -> None:
        """Add the copies."""
        names = [bytes(name) for name in copied.objects("DestNames")]
        self._entries.update(zip(names, copied.objects("Dests"), strict=True))
        self._is_changed = self._is_changed or bool(names)

    def write(self) -> None:
        """Write the tree."""
        if not self._is_changed:
            return
        _write(self._references, self._names, {})
        names_root(self._document).Dests = name_tree(self._entries)
        if "/Dests" in self._document.Root:
            del self._document.Root.Dests


def _references(owners: Iterable[Object]) -> Iterator[_Reference]:
    for owner in owners:
        yield from _named_only([(owner, "/Dest"), *_of_actions(actions_of(owner))])


def _of_actions(actions: Iterable[Object]) -> Iterator[_Reference]:
    return ((action, "/D") for action in actions if action.get("/S") == Name.GoTo)


def _named_only(references: Iterable[_Reference]) -> Iterator[_Reference]:
    for holder, key in references:
        if isinstance(holder.get(key), Name | String):
            yield holder, key


def _texts(names: DestinationNames, references: Iterable[_Reference]) -> set[bytes]:
    """Return the names that a document has, and those that it only refers to."""
    texts = set(names.destinations)
    for holder, key in references:
        text = names.text_of(holder.get(key))
        if text is not None:
            texts.add(text)
    return texts


def _write(
    references: Iterable[_Reference], names: DestinationNames, new_texts: Mapping[bytes, bytes]
) -> None:
    for holder, key in references:
        text = names.text_of(holder.get(key))
        # An action of two owners has its new name already.
        if text is not None:
            holder[key] = String(new_texts.get(text, text))


def _distinct_texts(
    texts: Collection[bytes], taken: AbstractSet[str], first: int
) -> dict[bytes, bytes]:
    """Return the new texts, whose readings are not taken: some readers compare no bytes."""
    readings = {text: _reading(text) for text in texts}
    numbered = distinct_keys(readings.values(), taken, first, _add_number)
    return {
        text: _with_ending(text, numbered.get(reading, reading)[len(reading) :])
        for text, reading in readings.items()
    }


def _reading(text: bytes) -> str:
    return str(String(text))


def _add_number(reading: str, number: int) -> str:
    return f"{reading}-{number}"


def _with_ending(text: bytes, ending: str) -> bytes:
    return text + ending.encode(_WIDE.get(text[:_MARK_BYTES], "ascii"))
