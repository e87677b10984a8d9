"""Tool `metadata`: other title, author, subject, keywords or language, or those that are there."""

from chalicelib.contract.options.pdf_tools import MetadataOptions
from chalicelib.engine.pdf.document.change_metadata import change_metadata
from chalicelib.engine.pdf.document.describe import describe
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output


def run(tool_input: ToolInput[MetadataOptions]) -> ToolOutput:
    """Write the metadata that are named, and keep the others; without any only read."""
    with open_source(tool_input.source, tool_input) as document:
        if tool_input.options.set_ is None:
            return ToolOutput(description=describe(document))
        change_metadata(document, tool_input.options.set_)
        return pdf_output(document, tool_input)
