"""Tool `unlock`: a document without protection."""

from chalicelib.contract.options.pdf_tools import UnlockOptions
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output


def run(tool_input: ToolInput[UnlockOptions]) -> ToolOutput:
    """Write the document, which its password has opened, without encryption."""
    with open_source(tool_input.source, tool_input) as document:
        return pdf_output(document, tool_input)
