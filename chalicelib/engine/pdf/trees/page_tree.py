"""Pages of a document, with their inherited attributes, and a page tree of some of them."""

from collections.abc import Sequence
from typing import Final

from pikepdf import Array, Dictionary, Name, Object, Pdf

# Readers look for a page from node to node; qpdf and they are slow with one long list.
_KIDS_PER_NODE: Final = 64
# Attributes that a page may have from the nodes above it (ISO 32000-1, 7.7.3.4).
_INHERITED: Final = ("/Resources", "/MediaBox", "/CropBox", "/Rotate")
_MAX_PAGE_DEPTH: Final = 100


def read_pages(document: Pdf) -> list[Object]:
    """Return the pages, each with the attributes of the nodes above it."""
    pages: list[Object] = [page.obj for page in document.pages]
    for page in pages:
        inherit_attributes(document, page)
    return pages


def write_page_tree(document: Pdf, pages: Sequence[Object]) -> None:
    """Make these pages the document's. They have their inherited attributes.

    The list `document.pages` stays as it was: the document is to be saved and left.
    """
    level = [(page, 1) for page in pages]
    while len(level) > 1 or level[0][0].get("/Type") != Name.Pages:
        level = [
            _add_node(document, level[begin : begin + _KIDS_PER_NODE])
            for begin in range(0, len(level), _KIDS_PER_NODE)
        ]
    root = level[0][0]
    if "/Parent" in root:
        del root.Parent
    document.Root.Pages = root


def inherit_attributes(document: Pdf, page: Object) -> None:
    """Copy to a page the attributes of the nodes above it; pages share the dictionaries."""
    missing = [key for key in _INHERITED if key not in page]
    node = page.get("/Parent")
    for _ in range(_MAX_PAGE_DEPTH):
        if not missing or not isinstance(node, Dictionary):
            return
        for key in [key for key in missing if key in node]:
            value = node[key]
            if isinstance(value, Dictionary) and not value.is_indirect:
                node[key] = value = document.make_indirect(value)
            page[key] = value
            missing.remove(key)
        node = node.get("/Parent")


def _add_node(document: Pdf, kids: Sequence[tuple[Object, int]]) -> tuple[Object, int]:
    count = sum(pages for _, pages in kids)
    node = document.make_indirect(
        Dictionary(Type=Name.Pages, Count=count, Kids=Array([kid for kid, _ in kids]))
    )
    for kid, _ in kids:
        kid.Parent = node
    return node, count
