"""Tool `extract-pages`: a document of the chosen pages alone."""

from chalicelib.contract.options.pdf_tools import ExtractPagesOptions
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.selected_pages import page_selection, selected_file
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source


def run(tool_input: ToolInput[ExtractPagesOptions]) -> ToolOutput:
    """Keep the chosen pages, in the order of the document."""
    with open_source(tool_input.source, tool_input) as document:
        indexes = page_indexes(tool_input.options.pages, len(document.pages))
        return ToolOutput((selected_file(page_selection(document, tool_input), indexes),))
