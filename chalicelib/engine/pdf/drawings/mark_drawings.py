"""Drawings of a printed text or picture, or of a PDF page, at a place of each page."""

import io
import math
from typing import TYPE_CHECKING, Final

from chalicelib.contract.css_values import length_in_inches
from chalicelib.contract.options.pdf import Watermark
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.pdf.drawings.page_drawings import PageDrawings, add_resource
from chalicelib.engine.pdf.page_boxes import (
    Matrix,
    PdfRectangle,
    bounding_box,
    multiply,
    page_turn,
    rectangle,
    upright_box,
    upright_matrix,
    visible_box,
)

if TYPE_CHECKING:
    import pikepdf

# Largest share of a page's sides that a fitted mark takes: in the middle and elsewhere.
_CENTER_SHARE: Final = 0.8
_EDGE_SHARE: Final = 0.35
# Distance from the page's edges, in points.
_INSET_PT: Final = 28.0
# Font size on the printed page; the placement matrix scales it to the size on the pages.
FONT_PX: Final = 48
_FONT_PT: Final = FONT_PX * 0.75
# The title is the only text that the printed page's script can pass into the PDF.
UNREADABLE_TITLE: Final = "unreadable"
_NO_CHANGE: Final = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class MarkDrawings:
    """A mark on the pages of one document; pages of one size share a drawing."""

    def __init__(
        self, document: "pikepdf.Pdf", mark: Watermark, form: "pikepdf.Object", box: PdfRectangle
    ) -> None:
        """Draw the form XObject `form`, whose box is `box`, as the options of `mark` say."""
        self._mark, self._form, self._box = mark, form, box
        self._page_drawings = PageDrawings(document)
        self._drawings: dict[tuple[PdfRectangle, int, str, str], pikepdf.Stream] = {}
        self._state = document.make_indirect(_opacity_state(mark.opacity))

    def draw(self, page: "pikepdf.Page") -> None:
        """Draw the mark on a page, upright for its reader."""
        page_box, turn = visible_box(page), page_turn(page)
        state = add_resource(page.resources, "/ExtGState", "/PlatenMarkState", self._state)
        form = add_resource(page.resources, "/XObject", "/PlatenMark", self._form)
        key = (page_box, turn, state, form)
        if key not in self._drawings:
            matrix = placement_matrix(self._mark, self._box, upright_box(page_box, turn))
            upright = upright_matrix(page_box, turn)
            if upright is not None:
                matrix = multiply(matrix, upright)
            numbers = " ".join(f"{number:.5f}" for number in matrix)
            operators = f"{state} gs {numbers} cm {form} Do"
            self._drawings[key] = self._page_drawings.drawing(operators.encode())
        if self._mark.layer == "under":
            self._page_drawings.draw_under(page, self._drawings[key])
        else:
            self._page_drawings.draw_over(page, self._drawings[key])


def placement_matrix(mark: Watermark, box: PdfRectangle, page: PdfRectangle) -> Matrix:
    """Return the matrix that places the `box` of a mark on `page` (ISO 32000-1, 8.3.3)."""
    angle = math.radians(mark.angle)
    cosine, sine = math.cos(angle), math.sin(angle)
    scale = _scale(mark, _turned_box(box, angle), page)
    turned = _turned_box(PdfRectangle(0, 0, box.width * scale, box.height * scale), angle)
    x, y = _center(mark, turned, page)
    a, b = scale * cosine, scale * sine
    middle_x, middle_y = box.left + box.width / 2, box.bottom + box.height / 2
    return (a, b, -b, a, x - a * middle_x + b * middle_y, y - b * middle_x - a * middle_y)


def _turned_box(box: PdfRectangle, angle: float) -> PdfRectangle:
    """Return the bounding box of a turned rectangle."""
    cosine, sine = abs(math.cos(angle)), abs(math.sin(angle))
    return PdfRectangle(
        0, 0, box.width * cosine + box.height * sine, box.width * sine + box.height * cosine
    )


def _is_pdf_page(mark: Watermark) -> bool:
    return mark.text is None and mark.image is None


def _scale(mark: Watermark, turned: PdfRectangle, page: PdfRectangle) -> float:
    if mark.text is not None and mark.font_size is not None:
        return length_in_inches(mark.font_size) * 72 / _FONT_PT
    share = _CENTER_SHARE if mark.position == "center" else _EDGE_SHARE
    if _is_pdf_page(mark):
        share = 1
    fitting = min(page.width * share / turned.width, page.height * share / turned.height)
    # A picture is never enlarged: it would become blurred. A PDF page has its own size.
    return fitting if mark.text is not None else min(fitting, 1)


def _center(mark: Watermark, turned: PdfRectangle, page: PdfRectangle) -> tuple[float, float]:
    """Return the centre of the mark on the page."""
    free_sides = [
        page.width - turned.width - 2 * _INSET_PT,
        page.height - turned.height - 2 * _INSET_PT,
    ]
    if _is_pdf_page(mark):
        # One that is as large as the page has no inset.
        free_sides = [max(side, 0) for side in free_sides]
    column = -1 if "left" in mark.position else int("right" in mark.position)
    row = -1 if "bottom" in mark.position else int("top" in mark.position)
    return (
        page.left + page.width / 2 + column * free_sides[0] / 2,
        page.bottom + page.height / 2 + row * free_sides[1] / 2,
    )


def printed_mark(
    document: "pikepdf.Pdf", mark_page: bytes, pointer: str
) -> "tuple[pikepdf.Object, PdfRectangle]":
    """Return a printed text or picture as a form XObject of `document`, and its box.

    Raises RenderFailure `asset_fetch_failed` at `pointer` for a picture that could not be shown.
    """
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    with pikepdf.open(io.BytesIO(mark_page)) as source:
        if str(source.docinfo.get("/Title", "")) == UNREADABLE_TITLE:
            message = f"{pointer}: it is no picture that the browser can show."
            raise RenderFailure("asset_fetch_failed", message)
        return page_form(document, source, source.pages[0])


def page_form(
    document: "pikepdf.Pdf", source: "pikepdf.Pdf", page: "pikepdf.Page"
) -> "tuple[pikepdf.Object, PdfRectangle]":
    """Return a page of `source` as a form XObject of `document`, and its box."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    form = document.copy_foreign(source.make_indirect(page.as_form_xobject()))
    # A transparency group: the opacity applies once where parts overlap (ISO 32000-1, 11.6.6).
    form.Group = pikepdf.Dictionary(S=pikepdf.Name.Transparency, Type=pikepdf.Name.Group)
    matrix = tuple(float(number) for number in form.get("/Matrix", _NO_CHANGE))
    return form, bounding_box(rectangle(float(edge) for edge in form.BBox), matrix)


def _opacity_state(opacity: float) -> "pikepdf.Dictionary":
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    return pikepdf.Dictionary(Type=pikepdf.Name.ExtGState, ca=opacity, CA=opacity)
