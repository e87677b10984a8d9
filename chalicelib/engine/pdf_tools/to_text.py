"""Tool `to-text`: the text of all pages."""

from typing import Final

from chalicelib.contract.options.pdf_tools import ToTextOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_drawing import open_drawing
from chalicelib.engine.pdf.document.page_text import page_text
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

_CONTENT_TYPE: Final = "text/plain; charset=utf-8"
_PAGE_BREAK: Final = "\f"


def run(tool_input: ToolInput[ToTextOptions]) -> ToolOutput:
    """Return the text with a form feed between two pages; a page without text is empty.

    The texts of the form fields of a page follow its own text.
    """
    with open_drawing(tool_input.source, tool_input.max_pages, tool_input.warn) as drawing:
        pages = [page_text(drawing.document, index) for index in range(len(drawing.user_units))]
    content = _PAGE_BREAK.join(pages).encode()
    return ToolOutput((RenderedFile("txt", content, _CONTENT_TYPE, len(pages)),))
