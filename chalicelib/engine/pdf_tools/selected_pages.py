"""Files of selected pages of a source: what several tools make."""

from collections.abc import Sequence

from pikepdf import Pdf

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.drawings.test_mark import mark_pages
from chalicelib.engine.pdf.forms.signatures import warn_of_signatures
from chalicelib.engine.pdf.forms.xfa import remove_xfa
from chalicelib.engine.pdf.pages.page_selection import PageSelection
from chalicelib.engine.pdf_tools.tool import ToolInput
from chalicelib.engine.pdf_tools.tool_files import PDF_TYPE


def page_selection(document: Pdf, tool_input: ToolInput[ToolOptions]) -> PageSelection:
    """Return the selection of a source, whose pages are marked for a test.

    Raises ValueError for a document whose trees have loops.
    """
    warn_of_signatures(document, tool_input.warn)
    if tool_input.test:
        mark_pages(document)
    remove_xfa(document, tool_input.warn)
    return PageSelection(document)


def selected_file(
    selection: PageSelection, indexes: Sequence[int], part: int | None = None
) -> RenderedFile:
    """Return a file of the pages of these indexes, in their order."""
    content = selection.content(indexes)
    return RenderedFile("pdf", content, PDF_TYPE, len(indexes), part=part)
