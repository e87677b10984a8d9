"""Drawings over or under pages, as artifacts: tags and reading order stay as they are."""

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pikepdf


class PageDrawings:
    """Drawings on the pages of one document; several pages may share a drawing."""

    def __init__(self, document: "pikepdf.Pdf") -> None:
        """Create the streams that all pages share."""
        self._document = document
        self._save_state = document.make_stream(b"q\n")
        self._restore_state = document.make_stream(b"\nQ\n")

    def drawing(self, operators: bytes, subtype: str = "Watermark") -> "pikepdf.Stream":
        """Return a drawing: a pagination artifact of type `subtype` (ISO 32000-1, 14.8.2.2)."""
        opened = f"/Artifact <</Type /Pagination /Subtype /{subtype}>> BDC q\n".encode()
        return self._document.make_stream(opened + operators + b"\nQ EMC\n")

    def draw_over(self, page: "pikepdf.Page", drawing: "pikepdf.Stream") -> None:
        """Draw over a page.

        The page's own content may leave a changed matrix behind, so it is enclosed in q and Q.
        """
        page.contents_add(self._save_state, prepend=True)
        page.contents_add(self._restore_state)
        page.contents_add(drawing)

    def draw_under(self, page: "pikepdf.Page", drawing: "pikepdf.Stream") -> None:
        """Draw under a page."""
        page.contents_add(drawing, prepend=True)


def add_resource(
    resources: "pikepdf.Object", category: str, name: str, entry: "pikepdf.Object"
) -> str:
    """Add an indirect object to a category of resources, and return the name that it has there.

    A name that means another object gets a number: an earlier run may have used it, and pages may
    share their resources.
    """
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    entries = resources.get(category)
    if not isinstance(entries, pikepdf.Dictionary):
        resources[category] = pikepdf.Dictionary()
        entries = resources[category]
    for number in count(1):
        free_name = name if number == 1 else f"{name}-{number}"
        present = entries.get(free_name)
        if present is None:
            entries[free_name] = entry
        elif present.objgen != entry.objgen:
            continue
        return free_name
    raise AssertionError
