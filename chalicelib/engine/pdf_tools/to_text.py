"""Tool `to-text`: the text of all pages, by pdfium.

Compared with pypdf it is some ten times as fast, resolves soft hyphens, ligatures and variants of
characters, and keeps the order of Hebrew and Arabic within words.
"""

import ctypes
import math
import re
from typing import Final, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from chalicelib.contract.options.pdf_tools import ToTextOptions
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.pdf_tools.document.open_drawing import open_drawing
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

_CONTENT_TYPE: Final = "text/plain; charset=utf-8"
_PAGE_BREAK: Final = "\f"
_LINE_END: Final = re.compile(r"\r\n")
# pdfium joins a word that a hyphen divides at the end of a line, and writes this for the hyphen.
_DIVISION: Final = "\ufffe"
# Controls but the line feed, lone surrogates, and what is no character.
_NO_TEXT: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\uffff]")
# Shares of the height of a character: how far characters of one line differ in height, and the gap
# that is read as a blank.
_SAME_LINE: Final = 0.2
_BLANK: Final = 0.15
_SAME_ANGLE: Final = 0.02


def run(tool_input: ToolInput[ToTextOptions]) -> ToolOutput:
    """Return the text with a form feed between two pages; a page without text is empty.

    The texts of the form fields of a page follow its own text.
    """
    with open_drawing(tool_input.source, tool_input) as drawing:
        pages = [_page_text(drawing.document, index) for index in range(len(drawing.user_units))]
    content = _PAGE_BREAK.join(pages).encode()
    return ToolOutput((RenderedFile("txt", content, _CONTENT_TYPE, len(pages)),))


def _page_text(document: pypdfium2.PdfDocument, index: int) -> str:
    _draw_fields(document, index)
    page = document[index]
    try:
        text_page = page.get_textpage()
        text = text_page.get_text_range()
        text = _LINE_END.sub(lambda found: _line_end(text_page, found), text)
    finally:
        # Closes the text page as well.
        page.close()
    return _NO_TEXT.sub("", text.replace(_DIVISION, "-\n")).rstrip()


def _draw_fields(document: pypdfium2.PdfDocument, index: int) -> None:
    """Draw the form fields of a page into it: texts of annotations are not those of the page."""
    if document.formenv is None:
        return
    page = document[index]
    try:
        # Flattening leaves out what is hidden.
        places = range(pdfium.FPDFPage_GetAnnotCount(page))
        if sum(_is_shown_field(page, place) for place in places):
            pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
    finally:
        page.close()


def _is_shown_field(page: pypdfium2.PdfPage, place: int) -> bool:
    """Tell whether an annotation is a field; hide any other."""
    annotation = pdfium.FPDFPage_GetAnnot(page, place)
    if not annotation:
        return False
    try:
        if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET:
            return True
        pdfium.FPDFAnnot_SetFlags(annotation, pdfium.FPDF_ANNOT_FLAG_HIDDEN)
    finally:
        pdfium.FPDFPage_CloseAnnot(annotation)
    return False


class _Character(NamedTuple):
    """Character of a page: its origin, extent (left, right, bottom, top), height and angle."""

    x: float
    y: float
    extent: tuple[float, float, float, float]
    height: float
    angle: float


def _line_end(text_page: pypdfium2.PdfTextPage, found: re.Match[str]) -> str:
    """Return a line feed, or nothing or a blank where the line goes on.

    On pages with little text pdfium takes some lines for vertical writing, and divides them.
    """
    before, after = (
        pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, index)
        for index in (found.start() - 1, found.end())
    )
    if before < 0 or after < 0:
        return "\n"
    first, second = _character(text_page, before), _character(text_page, after)
    gap = _gap(first, second)
    if gap is None:
        return "\n"
    return " " if gap > _BLANK * first.height else ""


def _gap(first: _Character, second: _Character) -> float | None:
    """Return the distance of two characters along their line; None for another line."""
    if abs(first.angle - second.angle) > _SAME_ANGLE or not first.height:
        return None
    cosine, sine = math.cos(first.angle), math.sin(first.angle)
    x, y = second.x - first.x, second.y - first.y
    if abs(y * cosine - x * sine) > _SAME_LINE * first.height or x * cosine + y * sine < 0:
        return None
    left, right, bottom, top = first.extent
    # End of the first character along the line, from its origin.
    corners = ((a, b) for a in (left, right) for b in (bottom, top))
    ends = ((a - first.x) * cosine + (b - first.y) * sine for a, b in corners)
    return x * cosine + y * sine - max(ends)


def _character(text_page: pypdfium2.PdfTextPage, index: int) -> _Character:
    numbers = [ctypes.c_double() for _ in range(6)]
    pdfium.FPDFText_GetCharOrigin(text_page, index, *numbers[:2])
    pdfium.FPDFText_GetCharBox(text_page, index, *numbers[2:])
    x, y, left, right, bottom, top = (number.value for number in numbers)
    size = pdfium.FPDFText_GetFontSize(text_page, index)
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text_page, index, matrix)
    height = size * math.hypot(matrix.c, matrix.d)
    angle = math.atan2(matrix.b, matrix.a)
    return _Character(x, y, (left, right, bottom, top), height, angle)
