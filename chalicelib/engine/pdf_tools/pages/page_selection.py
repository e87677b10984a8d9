"""Selection of pages of an opened document: it is reduced to what belongs to them, and saved.

A document is read once and may be reduced many times: what a reduction costs depends on its pages,
not on those of the document. Nothing is copied: qpdf writes only what the catalog still leads to.
"""

from collections.abc import Collection, Sequence

from pikepdf import Object, Pdf

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.combining.item_trees import dictionaries
from chalicelib.engine.finishing.test_mark import mark_pages
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.pdf_tools.document.write_pdf import PDF_TYPE, save, warn_of_signatures
from chalicelib.engine.pdf_tools.document.xfa import remove_xfa
from chalicelib.engine.pdf_tools.pages.destinations import Links, PageDestinations
from chalicelib.engine.pdf_tools.pages.outline import Outline
from chalicelib.engine.pdf_tools.pages.page_fields import PageFields
from chalicelib.engine.pdf_tools.pages.page_labels import read_labels, write_labels
from chalicelib.engine.pdf_tools.pages.page_tree import read_pages, write_page_tree
from chalicelib.engine.pdf_tools.pages.parent_tree import ObjectId
from chalicelib.engine.pdf_tools.pages.structure import Structure
from chalicelib.engine.pdf_tools.tool import ToolInput


class PageSelection:
    """Document that is written with some of its pages, given by their indexes."""

    def __init__(self, document: Pdf, tool_input: ToolInput[ToolOptions]) -> None:
        """Read what belongs to pages, and mark all of them for a test.

        Raises ValueError for a document whose trees have loops.
        """
        warn_of_signatures(document, tool_input)
        if tool_input.test:
            mark_pages(document)
        remove_xfa(document, tool_input)
        self._document, self._pages = document, read_pages(document)
        annotation_pages = _annotation_pages(self._pages)
        self._labels = read_labels(document, len(self._pages))
        self._destinations = PageDestinations(document, self._pages)
        self._links = Links(self._pages, self._destinations)
        self._outline = Outline(document, self._destinations)
        self._structure = Structure(document, self._pages, self._destinations, annotation_pages)
        self._fields = PageFields(document, annotation_pages)
        self._opening = document.Root.get("/OpenAction")
        # Articles lead from page to page.
        if "/Threads" in document.Root:
            del document.Root.Threads

    def file(self, indexes: Sequence[int], part: int | None = None) -> RenderedFile:
        """Return the document with these pages alone, in this order."""
        kept = frozenset(indexes)
        write_page_tree(self._document, [self._pages[index] for index in indexes])
        write_labels(self._document, [self._labels[index] for index in indexes])
        self._destinations.write(kept)
        self._links.write(indexes, kept)
        self._outline.write(kept)
        self._structure.write(kept)
        self._fields.write(kept)
        self._write_opening(kept)
        return RenderedFile("pdf", save(self._document), PDF_TYPE, len(indexes), part=part)

    def remove_attachments(self) -> None:
        """Remove the embedded files of the document; those of annotations stay."""
        root = self._document.Root
        names = root.get("/Names")
        for owner, key in ((root, "/AF"), (root, "/Collection"), (names, "/EmbeddedFiles")):
            if owner is not None and key in owner:
                del owner[key]

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
