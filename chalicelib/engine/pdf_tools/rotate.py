"""Tool `rotate`: pages turned clockwise."""

from chalicelib.contract.options.pdf_tools import RotateOptions
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output


def run(tool_input: ToolInput[RotateOptions]) -> ToolOutput:
    """Turn the chosen pages, in addition to how they are turned already."""
    options = tool_input.options
    with open_source(tool_input.source, tool_input) as document:
        for index in page_indexes(options.pages, len(document.pages)):
            document.pages[index].rotate(options.degrees % 360, relative=True)
        return pdf_output(document, tool_input)
