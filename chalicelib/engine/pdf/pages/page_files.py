"""Embedded files of a document, and those of them that belong to some pages."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from pikepdf import Array, Dictionary, Object, Pdf

from chalicelib.engine.pdf.trees.name_trees import dictionaries, named_tree, tree_entries
from chalicelib.engine.pdf.trees.parent_tree import ObjectId


class PageFiles:
    """Files that the document lists; files named only by pages and annotations belong to these."""

    def __init__(self, document: Pdf, pages: Sequence[Object]) -> None:
        """Read the files."""
        self._document = document
        self._entries = list(tree_entries(named_tree(document.Root, "/EmbeddedFiles"), "/Names"))
        self._pages = defaultdict[ObjectId, set[int]](set)
        for index, page in enumerate(pages):
            for key in _files_of_page(page):
                self._pages[key].add(index)
        for key in _keys(document.Root.get("/AF")):
            self._pages.pop(key, None)
        self._belong = any(set(_keys(file)) & self._pages.keys() for _, file in self._entries)
        self._keeps_document_files = True

    def remove(self) -> None:
        """Remove the files of the document; those of pages stay with their pages."""
        root = self._document.Root
        names = root.get("/Names")
        for owner, key in ((root, "/AF"), (root, "/Collection"), (names, "/EmbeddedFiles")):
            if isinstance(owner, Dictionary) and key in owner:
                del owner[key]
        self._keeps_document_files = False

    def write(self, kept: Collection[int]) -> None:
        """Leave the document its files, and list those of these pages."""
        if not self._belong:
            return
        listed = [
            part for name, file in self._entries if self._stays(file, kept) for part in (name, file)
        ]
        names = self._document.Root.Names
        if listed:
            names.EmbeddedFiles = Dictionary(Names=Array(listed))
        elif "/EmbeddedFiles" in names:
            del names.EmbeddedFiles

    def _stays(self, file: Object, kept: Collection[int]) -> bool:
        owners = [self._pages[key] for key in _keys(file) if key in self._pages]
        if not owners:
            return self._keeps_document_files
        return any(not pages.isdisjoint(kept) for pages in owners)


def _files_of_page(page: Object) -> Iterator[ObjectId]:
    for owner in (page, *dictionaries(page.get("/Annots"))):
        for key in ("/AF", "/FS"):
            yield from _keys(owner.get(key))


def _keys(files: object) -> Iterator[ObjectId]:
    """Yield the ids of file specifications, and of the streams with their bytes."""
    for each in dictionaries(files) if isinstance(files, Array) else [files]:
        if isinstance(each, Dictionary):
            if each.is_indirect:
                yield each.objgen
            embedded = each.get("/EF")
            if isinstance(embedded, Dictionary):
                yield from (
                    stream.objgen
                    for key in ("/F", "/UF")
                    if isinstance(stream := embedded.get(key), Object) and stream.is_indirect
                )
