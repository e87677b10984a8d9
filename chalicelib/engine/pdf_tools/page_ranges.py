"""Page ranges such as `1-3,5`, against the number of pages of a document."""

from chalicelib.core.text import number_with_noun
from chalicelib.engine.pdf_tools.tool import refused_option


def page_indexes(ranges: str | None, page_count: int, pointer: str = "/pages") -> list[int]:
    """Return the indexes (from 0) of the pages that a valid text names, ascending, each once.

    None names all pages. Raises `validation_error` at `pointer` for a page that does not exist.
    """
    if ranges is None:
        return list(range(page_count))
    indexes: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        begin, end = int(first), int(last or first)
        if end > page_count:
            raise refused_option(
                pointer,
                f"names page {end}; the document has {number_with_noun(page_count, 'page')}",
                "out_of_range",
            )
        indexes.update(range(begin - 1, end))
    return sorted(indexes)
