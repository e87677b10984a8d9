"""What links say of themselves (ISO 14289-1, 7.18.5): the texts that they have in the page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from chalicelib.engine.finishing.structure import boxes_of

if TYPE_CHECKING:
    import pikepdf


def describe_links(elements: Iterable[Any], anchors: Sequence[tuple[str, str]]) -> None:
    """Give each link its text; where none can surely be told to be its own, its address."""
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    texts, links = defaultdict[str, list[str]](list), defaultdict[str, list[list[Any]]](list)
    for address, text in anchors:
        texts[address].append(text)
    for element in elements:
        element.S = pikepdf.Name.Link
        # A link that goes over several lines has several.
        boxes = boxes_of(element)
        links[_address(boxes[0])].append(boxes)
    for address, alike in links.items():
        for boxes, text in zip(alike, _texts(texts[address], len(alike)), strict=True):
            for box in boxes:
                box.Contents = text or address


def _texts(texts: Sequence[str], count: int) -> Sequence[str]:
    if len(texts) == count:
        return texts
    # Some links have no element, and which ones these are is not known.
    said = {text for text in texts if text}
    return [said.pop() if len(said) == 1 else ""] * count


def _address(link: Any) -> str:
    if "/A" in link and "/URI" in link.A:
        return str(link.A.URI).strip()
    # In the document itself: by the name of a place.
    return "#" + str(link.get("/Dest", "")).removeprefix("/")


def drop_untagged(document: "pikepdf.Pdf") -> bool:
    """Take out the links of no element, which are in headers and footers; tell if there are any."""
    dropped = False
    for page in document.pages:
        links: list[Any] = list(page.get("/Annots", []))
        tagged = [link for link in links if "/StructParent" in link]
        if len(tagged) < len(links):
            page.Annots, dropped = tagged, True
    return dropped
