"""Drawings over or under printed pages, as artifacts: tags and reading order stay as they are."""

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
