"""PDF/UA-1 (ISO 14289-1): all content has a tag or is an artifact, and the tags are in order."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from chalicelib.engine.pdf.tagging.artifacts import PdfDictionary, form_xobjects, mark_artifacts
from chalicelib.engine.pdf.tagging.structure_tree import element_annotations, repair_structure_tree

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.pdf.text.chromium_pdf import StructureIndex


# The browser's default language; it sets one for every document but an empty one.
_DEFAULT_LANGUAGE: Final = "en-US"

# The browser maps glyphs that are parts of letters, such as the dots of Arabic ones, to U+0000, and
# gives the letters as ActualText. PDF/UA-1, 7.21.7 forbids U+0000; a zero width space is allowed.
_NUL_MAPPING: Final = re.compile(rb"(?m)^(<[0-9A-F]+> )<0000>$")
_ZERO_WIDTH_SPACE: Final = rb"\g<1><200B>"


def tag_or_mark_all_content(
    document: "pikepdf.Pdf", index: "StructureIndex"
) -> "list[pikepdf.Object]":
    """Repair the tags and mark all other content as artifacts; return the elements of links.

    `index` is that of the printed document.
    """
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    # The browser says it of documents with content only (ISO 19005-2, 6.7.2.2).
    document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    links = repair_structure_tree(document, index)
    mark_artifacts(document)
    return links


def set_catalog_entries(document: "pikepdf.Pdf") -> None:
    """Set what PDF/UA asks of the catalog and of pages: language, title and order of tabs."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    if "/Lang" not in document.Root:
        document.Root.Lang = _DEFAULT_LANGUAGE
    document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    for page in document.pages:
        page.Tabs = pikepdf.Name.S


def repair_to_unicode(document: "pikepdf.Pdf") -> None:
    """Map each glyph without a character to a zero width space."""
    for font in _fonts(document):
        if "/ToUnicode" in font:
            original = font.ToUnicode.read_bytes()
            repaired = _NUL_MAPPING.sub(_ZERO_WIDTH_SPACE, original)
            if repaired != original:
                font.ToUnicode.write(repaired)


def _fonts(document: "pikepdf.Pdf") -> "Iterator[pikepdf.Object]":
    seen: set[tuple[int, int]] = set()
    for page in document.pages:
        resources: PdfDictionary = page.get("/Resources", {})
        for each in (resources, *(form.get("/Resources", {}) for form in form_xobjects(resources))):
            for font in each.get("/Font", {}).values():
                if font.objgen not in seen:
                    seen.add(font.objgen)
                    yield font


def describe_links(
    elements: "Iterable[pikepdf.Object]", anchors: Sequence[tuple[str, str]]
) -> None:
    """Set the description of each link to its text.

    A link whose text cannot be told from those of other links with its URL gets the URL.
    """
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    texts, links = (
        defaultdict[str, list[str]](list),
        defaultdict[str, list[list[pikepdf.Object]]](list),
    )
    for target, text in anchors:
        texts[target].append(text)
    for element in elements:
        # A link over several lines has several annotations.
        annotations = element_annotations(element)
        if annotations[0].get("/Subtype") == "/Widget":
            continue
        element.S = pikepdf.Name.Link
        links[_link_target(annotations[0])].append(annotations)
    for target, links_to_target in links.items():
        for annotations, text in zip(
            links_to_target, _link_texts(texts[target], len(links_to_target)), strict=True
        ):
            for annotation in annotations:
                annotation.Contents = text or target


def _link_texts(texts: Sequence[str], count: int) -> Sequence[str]:
    if len(texts) == count:
        return texts
    # Some of these links have no element, and it is unknown which.
    distinct_texts = {text for text in texts if text}
    return [distinct_texts.pop() if len(distinct_texts) == 1 else ""] * count


def _link_target(link: "pikepdf.Object") -> str:
    if "/A" in link and "/URI" in link.A:
        return str(link.A.URI).strip()
    # A link within the document names its destination.
    return "#" + str(link.get("/Dest", "")).removeprefix("/")


def drop_untagged_links(document: "pikepdf.Pdf") -> bool:
    """Remove the links without an element, which are in headers and footers.

    Returns whether there were any.
    """
    has_dropped = False
    for page in document.pages:
        links = list(page.get("/Annots", ()))
        tagged = [link for link in links if "/StructParent" in link]
        if len(tagged) < len(links):
            page.Annots, has_dropped = tagged, True
    return has_dropped
