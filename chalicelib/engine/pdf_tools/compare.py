"""Tool of the service itself: two documents, page by page (decision 88)."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.contract.options.pdf_tools import CompareOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_drawing import DrawableSource, open_drawing
from chalicelib.engine.pdf.document.page_picture import PictureSize, draw_page
from chalicelib.engine.pdf.document.page_text import page_text
from chalicelib.engine.pdf.forms.annotation_looks import complete_looks
from chalicelib.engine.pdf_tools.comparing.comparison import ComparedPage, Comparison
from chalicelib.engine.pdf_tools.comparing.pictures import difference
from chalicelib.engine.pdf_tools.comparing.texts import text_changes
from chalicelib.engine.pdf_tools.picture_size import picture_size
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.picture_files import png_file

if TYPE_CHECKING:
    from PIL import Image

# Of both documents: some seconds of drawing and compressing.
MAX_PIXELS: Final = 120_000_000
# All pictures go through the caller at once.
MAX_BYTES: Final = 60_000_000


class _Page(NamedTuple):
    """Page of a document, not yet drawn."""

    drawing: DrawableSource
    at: int
    size: PictureSize


class _Pictures:
    """Files of the comparison; each is known by its number."""

    def __init__(self) -> None:
        self.files: list[RenderedFile] = []
        self._bytes = 0

    def add(self, file: RenderedFile) -> int:
        """Add a picture and return its number; raises `output_too_large`."""
        number = len(self.files)
        self._bytes += len(file.content)
        if self._bytes > MAX_BYTES:
            message = f"The pictures have more than {MAX_BYTES} bytes together; send a lower dpi."
            raise RenderFailure("output_too_large", message)
        self.files.append(file._replace(part=number + 1))
        return number


def run(tool_input: ToolInput[CompareOptions]) -> ToolOutput:
    """Draw the pages of both documents, and what differs; compare their texts.

    The pages are drawn with their annotations and form fields, on white.
    """
    first, second = tool_input.sources
    pictures = _Pictures()
    with ExitStack() as opened:
        drawings = [
            opened.enter_context(
                open_drawing(
                    source,
                    tool_input.max_pages,
                    tool_input.warn,
                    partial(complete_looks, fonts=tool_input.fonts, warn=tool_input.warn),
                )
            )
            for source in ([first] if first.content == second.content else [first, second])
        ]
        sides = [_pages(drawing, tool_input.options.dpi) for drawing in drawings]
        _check_pixels([page for side in sides for page in side])
        compared = tuple(_compared_pages(sides[0], sides[-1], pictures))
        # Last: reading the texts of form fields draws these into their pages.
        texts = [_texts(drawing) for drawing in drawings]
    comparison = Comparison(compared, text_changes(texts[0], texts[-1]))
    return ToolOutput(tuple(pictures.files), comparison=comparison)


def _pages(drawing: DrawableSource, dpi: int) -> list[_Page]:
    return [
        _Page(drawing, index, picture_size(drawing, index, dpi, "png"))
        for index in range(len(drawing.user_units))
    ]


def _check_pixels(pages: Sequence[_Page]) -> None:
    """Refuse too many pixels before time is spent on some of them."""
    pixels = sum(page.size.width * page.size.height for page in pages)
    if pixels > MAX_PIXELS:
        message = f"makes {pixels} pixels of all pages; a comparison has at most {MAX_PIXELS}"
        raise refused_option("/dpi", message, "out_of_range")


def _compared_pages(
    first: Sequence[_Page], second: Sequence[_Page], pictures: _Pictures
) -> Iterator[ComparedPage]:
    for number, (before, after) in enumerate(zip_longest(first, second), 1):
        if before is None or after is None:
            only = pictures.add(png_file(_draw(before or after)))
            old_picture, new_picture = (None, only) if before is None else (only, None)
            yield ComparedPage(number, 1.0, old_picture, new_picture, None)
            continue
        old = _draw(before)
        new = old if after is before else _draw(after)
        changed, shown = difference(old, new)
        from_picture = pictures.add(png_file(old))
        is_same = old.size == new.size and old.tobytes() == new.tobytes()
        to_picture = from_picture if is_same else pictures.add(png_file(new))
        diff_picture = pictures.add(png_file(shown))
        yield ComparedPage(number, changed, from_picture, to_picture, diff_picture)


def _draw(page: _Page) -> "Image.Image":
    return draw_page(page.drawing.document, page.at, page.size)


def _texts(drawing: DrawableSource) -> list[str]:
    return [page_text(drawing.document, index) for index in range(len(drawing.user_units))]
