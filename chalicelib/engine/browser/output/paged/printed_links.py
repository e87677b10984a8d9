"""Places of link targets in a print: how a document's layout on pages is read."""

import io
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote


class PrintedPlace(NamedTuple):
    """Place of a link's target: its page, from 0, and its distance from the page's top edge."""

    page: int
    top_pt: float


class PrintedLinks(NamedTuple):
    """Places of the targets by the fragments of their links."""

    pages: int
    places: Mapping[str, PrintedPlace]


def printed_links(content: bytes) -> PrintedLinks:
    """Return the places of the link targets in a PDF that the browser printed."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    with pikepdf.open(io.BytesIO(content)) as document:
        tops = {page.obj.objgen: (n, page.mediabox[3]) for n, page in enumerate(document.pages)}
        places = {}
        for name, target in document.Root.get("/Dests", pikepdf.Dictionary()).items():
            if target[0].objgen in tops:
                page, top = tops[target[0].objgen]
                places[unquote(name.removeprefix("/"))] = PrintedPlace(page, float(top - target[3]))
        return PrintedLinks(len(document.pages), places)
