"""Marks on chosen pages: what the tools `watermark` and `stamp` do."""

import pikepdf

from chalicelib.contract.options.pdf import Watermark
from chalicelib.contract.options.pdf_tools import StampOptions, WatermarkOptions
from chalicelib.engine.pdf.document.open_pdf import invalid_source
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf.drawings.mark_drawings import MarkDrawings, page_form, printed_mark
from chalicelib.engine.pdf.drawings.page_content import close_content, without_tags
from chalicelib.engine.pdf.page_boxes import PdfRectangle
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.tool import MARK, ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output

type MarkInput = ToolInput[WatermarkOptions] | ToolInput[StampOptions]


def mark_document(tool_input: MarkInput, mark: Watermark, pointer: str) -> ToolOutput:
    """Return the source with a mark, whose JSON Pointer is `pointer`, on the chosen pages.

    Raises RenderFailure `asset_fetch_failed`, and for a mark that is a PDF page as `open_source`.
    """
    if mark.image is not None and mark.font_size is not None:
        name = f"{pointer[1:]}.font_size"
        message = f"{name} is of no use to a picture and was ignored"
        tool_input.warn("feature_unavailable", message, name)
    with open_source(tool_input.source, tool_input) as document:
        indexes = page_indexes(tool_input.options.pages, len(document.pages))
        if pointer in tool_input.resources:
            form, box = _page_mark(document, tool_input, pointer)
        else:
            form, box = printed_mark(document, tool_input.resources[MARK], f"{pointer}/image")
        drawings = MarkDrawings(document, mark, form, box)
        for index in indexes:
            close_content(document, document.pages[index])
            drawings.draw(document.pages[index])
        return pdf_output(document, tool_input)


def _page_mark(
    document: pikepdf.Pdf, tool_input: MarkInput, pointer: str
) -> tuple[pikepdf.Object, PdfRectangle]:
    """Return the first page of a PDF of the request as a form XObject, and its box."""
    source = UnopenedPdf(tool_input.resources[pointer], None, pointer)
    with open_source(source, tool_input) as stamp:
        form, box = page_form(document, stamp, stamp.pages[0])
        without_tags(form)
    if not (box.width > 0 and box.height > 0):
        raise invalid_source(source, "the page of the stamp has no area")
    return form, box
