"""Tool `stamp`: a text, a picture or a PDF page on pages."""

from chalicelib.contract.options.pdf_tools import StampOptions
from chalicelib.engine.pdf_tools.page_marks import mark_document
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run(tool_input: ToolInput[StampOptions]) -> ToolOutput:
    """Draw the stamp on the chosen pages."""
    return mark_document(tool_input, tool_input.options.stamp, "/stamp")
