"""First document of a merge, and the others as they are added to it."""

from collections.abc import Iterable, Sequence

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from chalicelib.engine.pdf.merging.joined_destinations import JoinedDestinations
from chalicelib.engine.pdf.merging.joined_form import JoinedForm
from chalicelib.engine.pdf.merging.joined_layers import JoinedLayers
from chalicelib.engine.pdf.merging.joined_names import JoinedFiles
from chalicelib.engine.pdf.merging.joined_structure import JoinedStructure
from chalicelib.engine.pdf.merging.parcel import CopySet
from chalicelib.engine.pdf.trees.actions import page_owners
from chalicelib.engine.pdf.trees.destinations import PageDestinations
from chalicelib.engine.pdf.trees.outline import (
    Outline,
    OutlineEntry,
    all_entries,
    link_entries,
    unlink_entries,
)
from chalicelib.engine.pdf.trees.page_labels import PageLabel, read_labels, write_labels
from chalicelib.engine.pdf.trees.page_tree import read_pages, write_page_tree

# Conformance that a document claims; it says nothing of what is added to it.
_CLAIMS = ("pdfaid:part", "pdfaid:conformance", "pdfaid:rev", "pdfuaid:part", "pdfuaid:rev")


class JoinedPdf:
    """Document that others are added to. Its metadata and the way it opens stay."""

    def __init__(self, document: Pdf, title: str | None = None) -> None:
        """Begin with the first document; a title is that of an entry above its outline."""
        self._document, self._place = document, 1
        self._pages = read_pages(document)
        self._labels = read_labels(document, len(self._pages))
        self._has_labels = any(self._labels)
        self._outline = _read_outline(document, self._pages)
        items = [entry.item for entry in all_entries(self._outline)]
        self._destinations = JoinedDestinations(document, [*page_owners(self._pages), *items])
        self._files = JoinedFiles(document)
        self._form = JoinedForm(document)
        self._structure = JoinedStructure(document)
        self._layers = JoinedLayers(document)
        self._outline = self._with_title(self._outline, title, self._pages)

    def add(self, source: Pdf, title: str | None = None) -> None:
        """Copy a source to the end. It is changed, and must stay open until the end.

        A title is that of an entry above its outline.
        Raises ValueError for a source whose trees have loops.
        """
        self._place += 1
        pages, copy_set = read_pages(source), CopySet(source, self._place)
        for page in pages:
            # Beads of articles, whose threads stay behind.
            if "/B" in page:
                del page.B
        entries = _read_outline(source, pages)
        items = [entry.item for entry in all_entries(entries)]
        owners = [*page_owners(pages), *items]
        self._destinations.pack(source, owners, copy_set)
        self._form.pack(source, owners, copy_set)
        self._files.pack(source, copy_set)
        self._structure.pack(source, pages, copy_set)
        self._layers.pack(source, copy_set)
        # A list instead of a chain: qpdf copies it without recursion.
        unlink_entries(items)
        copy_set.put("Outline", items)
        labels = read_labels(source, len(pages))
        copied = copy_set.copy_to(self._document, pages)
        for joined in self._destinations, self._form, self._files, self._structure, self._layers:
            joined.unpack(copied)
        self._pages += copied.pages
        entries = _with_items(entries, iter(copied.objects("Outline")))
        self._outline += self._with_title(entries, title, copied.pages)
        self._labels += _labels_of_own(labels)
        self._has_labels = self._has_labels or any(labels)

    def _with_title(
        self, entries: list[OutlineEntry], title: str | None, pages: Sequence[Object]
    ) -> list[OutlineEntry]:
        """Return the entries below one of this title, which leads to the first page, if any."""
        if title is None:
            return entries
        destination = Array([pages[0], Name.Fit])
        item = self._document.make_indirect(Dictionary(Title=String(title), Dest=destination))
        return [OutlineEntry(item, (), is_open=False, entries=entries)]

    def finish(self) -> None:
        """Write the objects that join the documents; the list `pages` stays as it was."""
        root = self._document.Root
        write_page_tree(self._document, self._pages)
        if self._has_labels:
            write_labels(self._document, self._labels)
        if self._outline:
            if not isinstance(root.get("/Outlines"), Dictionary):
                root.Outlines = self._document.make_indirect(Dictionary(Type=Name.Outlines))
            link_entries(root.Outlines, self._outline)
        for joined in self._destinations, self._form, self._files, self._structure, self._layers:
            joined.write()
        # A collection shows its files and hides the pages.
        if "/Collection" in root:
            del root.Collection
        if "/Metadata" in root:
            _remove_claims(self._document)


def _read_outline(document: Pdf, pages: list[Object]) -> list[OutlineEntry]:
    return Outline(document, PageDestinations(document, pages)).entries


def _with_items(entries: list[OutlineEntry], items: Iterable[Object]) -> list[OutlineEntry]:
    """Return the entries with the copies of their items, which come in the order of the list."""
    copies = dict(zip(map(id, all_entries(entries)), items, strict=True))
    for entry in reversed(list(all_entries(entries))):
        entry.entries[:] = [kid._replace(item=copies[id(kid)]) for kid in entry.entries]
    return [entry._replace(item=copies[id(entry)]) for entry in entries]


def _labels_of_own(labels: list[PageLabel | None]) -> list[PageLabel]:
    """Return labels without objects of their document; those without a label have a number."""
    decimal, own = Dictionary(S=Name.D), list[PageLabel]()
    for index, label in enumerate(labels):
        if label is None:
            own.append(PageLabel(decimal, index + 1))
            continue
        entry = Dictionary()
        if isinstance(label.entry.get("/S"), Name):
            entry.S = Name(str(label.entry.S))
        if isinstance(label.entry.get("/P"), String):
            entry.P = String(bytes(label.entry.P))
        own.append(PageLabel(entry, label.number))
    return own


def _remove_claims(document: Pdf) -> None:
    with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        for claim in _CLAIMS:
            if claim in metadata:
                del metadata[claim]
