"""Selection of pages of an opened document: it is reduced to their objects, and saved.

A document is read once and may be reduced many times: the cost of a reduction depends on its pages,
not on those of the document. Nothing is copied: qpdf writes only what the catalog still leads to.
"""

from collections.abc import Collection, Sequence

from pikepdf import Dictionary, Object, Pdf

from chalicelib.engine.pdf.document.save import save
from chalicelib.engine.pdf.pages.content_names import ContentNames
from chalicelib.engine.pdf.pages.gone_references import GoneReferences
from chalicelib.engine.pdf.pages.page_fields import PageFields, text_owners
from chalicelib.engine.pdf.pages.page_files import PageFiles
from chalicelib.engine.pdf.pages.resource_use import DocumentResources, ResourceUse
from chalicelib.engine.pdf.trees.destinations import Links, PageDestinations
from chalicelib.engine.pdf.trees.name_trees import dictionaries
from chalicelib.engine.pdf.trees.outline import Outline
from chalicelib.engine.pdf.trees.page_labels import read_labels, write_labels
from chalicelib.engine.pdf.trees.page_tree import read_pages, write_page_tree
from chalicelib.engine.pdf.trees.parent_tree import ObjectId
from chalicelib.engine.pdf.trees.structure import Structure


class PageSelection:
    """Document that is written with some of its pages, given by their indexes."""

    def __init__(self, document: Pdf) -> None:
        """Read what belongs to pages.

        Raises ValueError for a document whose trees have loops.
        """
        self._document, self._pages = document, read_pages(document)
        annotation_pages = _annotation_pages(self._pages)
        self._labels = read_labels(document, len(self._pages))
        self._destinations = PageDestinations(document, self._pages)
        self._links = Links(self._pages, self._destinations)
        self._outline = Outline(document, self._destinations)
        self._structure = Structure(document, self._pages, self._destinations, annotation_pages)
        form = document.Root.get("/AcroForm")
        if isinstance(form, Dictionary) and not form.is_indirect:
            document.Root.AcroForm = document.make_indirect(form)
        self._fields = PageFields(document, annotation_pages)
        self._files = PageFiles(document, self._pages)
        self._contents, self._resources = ContentNames(), DocumentResources()
        self._annotation_pages, self._references = annotation_pages, GoneReferences()
        self._opening = document.Root.get("/OpenAction")
        # Articles lead from page to page.
        if "/Threads" in document.Root:
            del document.Root.Threads

    def content(self, indexes: Sequence[int]) -> bytes:
        """Return the document with these pages alone, in this order."""
        kept = frozenset(indexes)
        self._references.restore()
        write_page_tree(self._document, [self._pages[index] for index in indexes])
        write_labels(self._document, [self._labels[index] for index in indexes])
        self._destinations.write(kept)
        self._links.write(indexes, kept)
        self._outline.write(kept)
        self._structure.write(kept)
        chosen_fields = self._fields.write(kept)
        self._files.write(kept)
        self._write_opening(kept)
        self._cut_references(kept, chosen_fields)
        self._write_resources(kept)
        return save(self._document)

    def remove_attachments(self) -> None:
        """Remove the embedded files of the document; those of pages and annotations stay."""
        self._files.remove()

    def _cut_references(self, kept: Collection[int], chosen_fields: Collection[ObjectId]) -> None:
        def is_gone(key: ObjectId) -> bool:
            index = self._annotation_pages.get(key, self._destinations.index_of_id(key))
            if index is not None and index not in kept:
                return True
            return key in self._fields.ids and key not in chosen_fields

        self._references.cut((self._pages[index] for index in kept), is_gone)

    def _write_resources(self, kept: Collection[int]) -> None:
        use = ResourceUse(self._document, self._contents, self._resources)
        for index in kept:
            use.add_page(self._pages[index])
        form = self._document.Root.get("/AcroForm")
        if isinstance(form, Dictionary):
            use.add_form(form, text_owners(form, (self._pages[index] for index in kept)))
        use.write()

    def _write_opening(self, kept: Collection[int]) -> None:
        root, opening = self._document.Root, self._opening
        if opening is None:
            return
        targets = self._destinations.pages_of_opening(opening)
        if all(target in kept for target in targets):
            root.OpenAction = opening
        elif "/OpenAction" in root:
            del root.OpenAction


def _annotation_pages(pages: Sequence[Object]) -> dict[ObjectId, int]:
    """Return the page of each annotation."""
    return {
        annotation.objgen: index
        for index, page in enumerate(pages)
        for annotation in dictionaries(page.get("/Annots"))
        if annotation.is_indirect
    }
