"""Tool `metadata`: other title, author, subject, keywords or language."""

from chalicelib.contract.options.pdf_tools import MetadataOptions
from chalicelib.engine.pdf.document.change_metadata import change_metadata
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output


def run(tool_input: ToolInput[MetadataOptions]) -> ToolOutput:
    """Write the metadata that are named, and keep the others."""
    with open_source(tool_input.source, tool_input) as document:
        change_metadata(document, tool_input.options.info)
        return pdf_output(document, tool_input)
