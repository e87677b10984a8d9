"""Tool `extract-pages`: a document of the chosen pages alone."""

from chalicelib.contract.options.pdf_tools import ExtractPagesOptions
from chalicelib.engine.pdf.document.open_pdf import open_source
from chalicelib.engine.pdf.pages.page_selection import PageSelection
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run(tool_input: ToolInput[ExtractPagesOptions]) -> ToolOutput:
    """Keep the chosen pages, in the order of the document."""
    with open_source(tool_input.source, tool_input) as document:
        indexes = page_indexes(tool_input.options.pages, len(document.pages))
        return ToolOutput((PageSelection(document, tool_input).file(indexes),))
