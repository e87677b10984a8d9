"""Tool `split`: a document for each range of pages, or for each page."""

from typing import Final

from chalicelib.contract.options.pdf_tools import SplitOptions
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.selected_pages import page_selection, selected_file
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.pdf_tools.tool_files import open_source

MAX_FILES: Final = 500


def run(tool_input: ToolInput[SplitOptions]) -> ToolOutput:
    """Make a document of each range. The files embedded in the source go into the first one."""
    ranges = tool_input.options.ranges
    with open_source(tool_input.source, tool_input) as document:
        page_count = len(document.pages)
        if ranges is None and page_count > MAX_FILES:
            message = (
                f"is needed: a file for each of {page_count} pages is more than {MAX_FILES} files"
            )
            raise refused_option("/ranges", message, "required")
        parts = (
            [[index] for index in range(page_count)]
            if ranges is None
            else [
                page_indexes(each, page_count, f"/ranges/{place}")
                for place, each in enumerate(ranges)
            ]
        )
        selection = page_selection(document, tool_input)
        files = []
        for part, indexes in enumerate(parts, start=1):
            files.append(selected_file(selection, indexes, part))
            selection.remove_attachments()
    return ToolOutput(tuple(files))
