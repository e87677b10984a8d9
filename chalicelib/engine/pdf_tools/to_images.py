"""Tool `to-images`: one picture for each page."""

from functools import partial
from typing import Final

from chalicelib.contract.options.pdf_tools import ToImagesOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_drawing import DrawableSource, open_drawing
from chalicelib.engine.pdf.document.page_picture import PictureSize, draw_page
from chalicelib.engine.pdf.forms.annotation_looks import complete_looks
from chalicelib.engine.pdf_tools.page_ranges import page_indexes
from chalicelib.engine.pdf_tools.picture_size import picture_size
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.picture_files import jpeg_file, png_file, webp_file
from chalicelib.engine.test_mark import mark_image

MAX_PICTURES: Final = 500
_ENCODERS: Final = {"png": png_file, "jpeg": jpeg_file, "webp": webp_file}


def run(tool_input: ToolInput[ToImagesOptions]) -> ToolOutput:
    """Draw the chosen pages with their annotations and form fields, on white."""
    options, source = tool_input.options, tool_input.source
    complete = partial(complete_looks, fonts=tool_input.fonts, warn=tool_input.warn)
    with open_drawing(source, tool_input.max_pages, tool_input.warn, complete) as drawing:
        indexes = page_indexes(options.pages, len(drawing.user_units))
        if len(indexes) > MAX_PICTURES:
            message = f"names {len(indexes)} pages; at most {MAX_PICTURES} become pictures"
            raise refused_option("/pages", message, "out_of_range")
        # All sizes first: a page that is too large is refused before time is spent on others.
        sizes = [picture_size(drawing, index, options.dpi, options.format) for index in indexes]
        pages = zip(indexes, sizes, strict=True)
        return ToolOutput(
            tuple(
                _picture_file(drawing, index, size, tool_input)._replace(part=part)
                for part, (index, size) in enumerate(pages, 1)
            )
        )


def _picture_file(
    drawing: DrawableSource, index: int, size: PictureSize, tool_input: ToolInput[ToImagesOptions]
) -> RenderedFile:
    picture = draw_page(drawing.document, index, size)
    if tool_input.test:
        picture = mark_image(picture)
    return _ENCODERS[tool_input.options.format](picture)
