"""Tool `reorder`: all pages of a document in another order."""

from collections.abc import Sequence

from chalicelib.contract.options.pdf_tools import ReorderOptions
from chalicelib.core.text import number_with_noun
from chalicelib.engine.pdf_tools.selected_pages import page_selection, selected_file
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.pdf_tools.tool_files import open_source


def run(tool_input: ToolInput[ReorderOptions]) -> ToolOutput:
    """Put the pages into the order of the numbers, which name each page once."""
    order = tool_input.options.order
    with open_source(tool_input.source, tool_input) as document:
        _require_permutation(order, len(document.pages))
        indexes = [number - 1 for number in order]
        return ToolOutput((selected_file(page_selection(document, tool_input), indexes),))


def _require_permutation(order: Sequence[int], page_count: int) -> None:
    """Refuse an order at its first fault."""
    named = set[int]()
    for number in order:
        if not 1 <= number <= page_count:
            message = (
                f"names page {number}; the document has {number_with_noun(page_count, 'page')}"
            )
            raise refused_option("/order", message, "out_of_range")
        if number in named:
            raise refused_option("/order", f"names page {number} twice", "repeated")
        named.add(number)
    if len(named) < page_count:
        missing = next(number for number in range(1, page_count + 1) if number not in named)
        raise refused_option("/order", f"does not name page {missing}", "required")
