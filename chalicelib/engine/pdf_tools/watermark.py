"""Tool `watermark`: a text or picture on pages."""

from chalicelib.contract.options.pdf_tools import WatermarkOptions
from chalicelib.engine.pdf_tools.page_marks import mark_document
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run(tool_input: ToolInput[WatermarkOptions]) -> ToolOutput:
    """Draw the watermark on the chosen pages."""
    return mark_document(tool_input, tool_input.options.watermark, "/watermark")
