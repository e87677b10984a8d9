"""Name trees and embedded files of joined documents: equal names get a number."""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import count

from pikepdf import Array, Dictionary, Object, Pdf, String

from chalicelib.engine.pdf.document.attachments import distinct_names
from chalicelib.engine.pdf.merging.parcel import CopiedSet, CopySet
from chalicelib.engine.pdf.trees.name_trees import dictionaries, named_tree, string_entries


def names_root(document: Pdf) -> Object:
    """Return the dictionary of the name trees; a document without one gets it."""
    names = document.Root.get("/Names")
    if not isinstance(names, Dictionary):
        names = document.Root.Names = Dictionary()
    return names


def named_entries(document: Pdf, tree: str) -> dict[bytes, Object]:
    """Return the entries of a name tree."""
    return string_entries(named_tree(document.Root, tree))


def name_tree(entries: Mapping[bytes, Object]) -> Dictionary:
    """Return a name tree of these entries."""
    parts = [part for key in sorted(entries) for part in (String(key), entries[key])]
    return Dictionary(Names=Array(parts))


def distinct_keys[Key: (bytes, str)](
    keys: Iterable[Key], taken: AbstractSet[Key], first: int, add_number: Callable[[Key, int], Key]
) -> dict[Key, Key]:
    """Return new keys for those that are taken, add_number from `first`, the document's place."""
    own, new_keys = set(keys), dict[Key, Key]()
    used = set[Key](own)
    for key in sorted(own & taken):
        candidates = (add_number(key, number) for number in count(first))
        new_keys[key] = next(each for each in candidates if each not in used and each not in taken)
        used.add(new_keys[key])
    return new_keys


class JoinedFiles:
    """Embedded files: those of the documents, and those associated with documents."""

    def __init__(self, document: Pdf) -> None:
        """Begin with those of the first document."""
        self._document = document
        self._names = [_text(key) for key in named_entries(document, "/EmbeddedFiles")]
        self._added: list[tuple[str, Object]] = []
        self._associated: list[Object] = []

    def pack(self, source: Pdf, copy_set: CopySet) -> None:
        """Put in the files of a source, as indirect objects: the lists have the same ones."""
        files = {
            _text(key): value if value.is_indirect else source.make_indirect(value)
            for key, value in named_entries(source, "/EmbeddedFiles").items()
            if isinstance(value, Dictionary)
        }
        names = distinct_names(list(files), taken=self._names)
        for old, new in zip(files, names, strict=True):
            if old != new:
                files[old].F = files[old].UF = String(new)
        self._names += names
        copy_set.put("Files", files.values())
        copy_set.put("FileNames", [String(name) for name in names])
        copy_set.put("Associated", dictionaries(source.Root.get("/AF")))

    def unpack(self, copied: CopiedSet) -> None:
        """Add the copies."""
        names = [str(name) for name in copied.objects("FileNames")]
        self._added += zip(names, copied.objects("Files"), strict=True)
        self._associated += copied.objects("Associated")

    def write(self) -> None:
        """Write the tree and the list of associated files."""
        if self._added:
            entries = named_entries(self._document, "/EmbeddedFiles")
            entries |= {bytes(String(name)): file for name, file in self._added}
            names_root(self._document).EmbeddedFiles = name_tree(entries)
        if self._associated:
            own = dictionaries(self._document.Root.get("/AF"))
            self._document.Root.AF = Array([*own, *self._associated])


def _text(key: bytes) -> str:
    return str(String(key))
