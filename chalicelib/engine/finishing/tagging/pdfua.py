"""PDF/UA-1 (ISO 14289-1): all content has a tag or is an artifact, and the tags are in order."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from chalicelib.engine.finishing.chromium_pdf import structure_index
from chalicelib.engine.finishing.tagging.artifacts import form_xobjects, mark_artifacts
from chalicelib.engine.finishing.tagging.structure_tree import (
    element_annotations,
    repair_structure_tree,
)

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


# The browser's own, which it gives to every document but an empty one.
_DEFAULT_LANGUAGE: Final = "en-US"
_LINKS_DROPPED: Final = (
    "links that are read to nobody were left out, as PDF/UA wants it: those of headers, footers, "
    "frames and what is aria-hidden"
)


def make_accessible(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    """Tag the document; PDF/UA has more to ask for than level a of PDF/A."""
    links = repair_structure_tree(document, structure_index(finishing.printed_pdf))
    mark_artifacts(document)
    if finishing.output.pdf.has_pdfua_target:
        _set_catalog_entries(document)
        describe_links(links, finishing.recorder.links)
    if finishing.output.pdf.pdfua and drop_untagged_links(document):
        finishing.recorder.warn("feature_unavailable", _LINKS_DROPPED, "/output/pdf")


def _set_catalog_entries(document: "pikepdf.Pdf") -> None:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    if "/Lang" not in document.Root:
        document.Root.Lang = _DEFAULT_LANGUAGE
    document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    for page in document.pages:
        page.Tabs = pikepdf.Name.S


# The browser gives parts of letters, such as the dots of Arabic ones, no character; what letters
# they make up stands beside them as ActualText. U+0000 is none, a blank without width is.
_NUL_MAPPING: Final = re.compile(rb"(?m)^(<[0-9A-F]+> )<0000>$")
_ZERO_WIDTH_SPACE: Final = rb"\g<1><200B>"


def repair_to_unicode(document: "pikepdf.Pdf") -> None:
    """Give each glyph a character that has none."""
    for font in _fonts(document):
        if "/ToUnicode" in font:
            old = font.ToUnicode.read_bytes()
            new = _NUL_MAPPING.sub(_ZERO_WIDTH_SPACE, old)
            if new != old:
                font.ToUnicode.write(new)


def _fonts(document: "pikepdf.Pdf") -> Iterator[Any]:
    seen: set[tuple[int, int]] = set()
    for page in document.pages:
        resources: Any = page.get("/Resources", {})
        for each in (resources, *(form.get("/Resources", {}) for form in form_xobjects(resources))):
            for font in each.get("/Font", {}).values():
                if font.objgen not in seen:
                    seen.add(font.objgen)
                    yield font


def describe_links(elements: Iterable[Any], anchors: Sequence[tuple[str, str]]) -> None:
    """Give each link its text; where none can surely be told to be its own, its address."""
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    texts, links = defaultdict[str, list[str]](list), defaultdict[str, list[list[Any]]](list)
    for address, text in anchors:
        texts[address].append(text)
    for element in elements:
        element.S = pikepdf.Name.Link
        # A link that goes over several lines has several.
        boxes = element_annotations(element)
        links[_link_target(boxes[0])].append(boxes)
    for address, alike in links.items():
        for boxes, text in zip(alike, _link_texts(texts[address], len(alike)), strict=True):
            for box in boxes:
                box.Contents = text or address


def _link_texts(texts: Sequence[str], count: int) -> Sequence[str]:
    if len(texts) == count:
        return texts
    # Some links have no element, and which ones these are is not known.
    said = {text for text in texts if text}
    return [said.pop() if len(said) == 1 else ""] * count


def _link_target(link: Any) -> str:
    if "/A" in link and "/URI" in link.A:
        return str(link.A.URI).strip()
    # In the document itself: by the name of a place.
    return "#" + str(link.get("/Dest", "")).removeprefix("/")


def drop_untagged_links(document: "pikepdf.Pdf") -> bool:
    """Take out the links of no element, which are in headers and footers; tell if there are any."""
    dropped = False
    for page in document.pages:
        links: list[Any] = list(page.get("/Annots", []))
        tagged = [link for link in links if "/StructParent" in link]
        if len(tagged) < len(links):
            page.Annots, dropped = tagged, True
    return dropped
