"""Tool `delete-pages`: the document without the chosen pages."""

from chalicelib.contract.options.pdf_tools import DeletePagesOptions
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.selected_pages import page_selection, selected_file
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.pdf_tools.tool_files import open_source


def run(tool_input: ToolInput[DeletePagesOptions]) -> ToolOutput:
    """Keep all pages but the chosen ones; one page must remain."""
    with open_source(tool_input.source, tool_input) as document:
        page_count = len(document.pages)
        gone = set(page_indexes(tool_input.options.pages, page_count))
        kept = [index for index in range(page_count) if index not in gone]
        if not kept:
            raise refused_option("/pages", f"names all {page_count} pages; one must remain")
        return ToolOutput((selected_file(page_selection(document, tool_input), kept),))
