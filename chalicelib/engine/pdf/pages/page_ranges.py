"""Page ranges such as `1-3,5`."""

from collections.abc import Iterator

from chalicelib.core.errors import RenderFailure


def selected_pages(text: str | None, count: int) -> list[int]:
    """Return the indexes of the pages that a text names, or of all pages where there is none.

    Raises RenderFailure `render_failed` for a range that begins after the last page, as the browser
    does.
    """
    if not text:
        return list(range(count))
    pages: set[int] = set()
    for first, last in ranges(text):
        if first > count:
            message = f"output.pdf.page_ranges names page {first}; there are {count}"
            raise RenderFailure("render_failed", message)
        pages.update(range(first - 1, min(last, count)))
    return sorted(pages)


def ranges(text: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last page of each range of a valid text; pages count from 1."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield int(first), int(last or first)
