"""Pages that the option `output.pdf.page_ranges` selects."""

from chalicelib.core.errors import RenderFailure
from chalicelib.core.text import number_with_noun


def selected_pages(page_ranges: str | None, count: int) -> list[int]:
    """Return the indexes of the pages in `page_ranges`, or of all pages where there are none.

    Raises RenderFailure `render_failed` for a range that begins after the last page, as the browser
    does.
    """
    if not page_ranges:
        return list(range(count))
    pages: set[int] = set()
    for part in page_ranges.split(","):
        first, _, last = part.partition("-")
        if int(first) > count:
            pages_there = number_with_noun(count, "page")
            message = (
                f"output.pdf.page_ranges names page {first.strip()}; the document has {pages_there}"
            )
            raise RenderFailure("render_failed", message)
        pages.update(range(int(first) - 1, min(int(last or first), count)))
    return sorted(pages)
