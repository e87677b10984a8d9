"""Tool `unlock`: a document without protection."""

from chalicelib.contract.options.pdf_tools import UnlockOptions
from chalicelib.engine.pdf_tools.document.open_source import open_source
from chalicelib.engine.pdf_tools.document.write_pdf import pdf_output
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run(tool_input: ToolInput[UnlockOptions]) -> ToolOutput:
    """Write the document, which its password has opened, without encryption."""
    with open_source(tool_input.source, tool_input) as document:
        return pdf_output(document, tool_input)
