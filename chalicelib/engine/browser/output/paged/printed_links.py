"""Places of link targets in a print: how a document's layout on pages is read."""

import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote


class PrintedPlace(NamedTuple):
    """Place of a link's target: its page, from 0, and its distance from the page's top edge."""

    page: int
    top_pt: float


class PrintedLinks(NamedTuple):
    """Places of the targets by the fragments of their links, and the sizes of the pages."""

    sizes: Sequence[tuple[float, float]]
    places: Mapping[str, PrintedPlace]

    @property
    def pages(self) -> int:
        """Return the number of pages."""
        return len(self.sizes)


def printed_links(content: bytes) -> PrintedLinks:
    """Return the places of the link targets in a PDF that the browser printed."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    with pikepdf.open(io.BytesIO(content)) as document:
        boxes = [[float(edge) for edge in page.mediabox] for page in document.pages]
        numbers = {page.obj.objgen: number for number, page in enumerate(document.pages)}
        places = {}
        for name, target in document.Root.get("/Dests", pikepdf.Dictionary()).items():
            page = numbers.get(target[0].objgen)
            if page is not None:
                top_pt = boxes[page][3] - float(target[3])
                places[unquote(name.removeprefix("/"))] = PrintedPlace(page, top_pt)
        sizes = [(right - left, top - bottom) for left, bottom, right, top in boxes]
        return PrintedLinks(sizes, places)
