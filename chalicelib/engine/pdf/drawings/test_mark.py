"""Test mark on the pages of a document."""

from typing import TYPE_CHECKING

from chalicelib.engine.pdf.drawings.page_drawings import PageDrawings, add_resource
from chalicelib.engine.pdf.page_boxes import (
    PdfRectangle,
    page_turn,
    upright_box,
    upright_matrix,
    visible_box,
)
from chalicelib.engine.test_mark import GREY, OPACITY, path_operators, word_strokes

if TYPE_CHECKING:
    import pikepdf


def mark_pages(document: "pikepdf.Pdf") -> None:
    """Draw the word over every page."""
    import pikepdf  # noqa: PLC0415 -- only a document that is opened needs it

    state = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.ExtGState, CA=OPACITY))
    page_drawings = PageDrawings(document)
    drawings: dict[tuple[PdfRectangle, int, str], pikepdf.Stream] = {}
    for page in document.pages:
        name = add_resource(page.resources, "/ExtGState", "/PlatenTest", state)
        key = (visible_box(page), page_turn(page), name)
        if key not in drawings:
            drawings[key] = page_drawings.drawing(_operators(*key))
        page_drawings.draw_over(page, drawings[key])


def _operators(page_box: PdfRectangle, turn: int, state: str) -> bytes:
    upright = upright_box(page_box, turn)
    matrix = upright_matrix(page_box, turn) or (1, 0, 0, 1, upright.left, upright.bottom)
    lines, thickness = word_strokes(upright.width, upright.height)
    operators = [
        f"{state} gs 0 J 1 j {thickness:.2f} w {GREY} G",
        "{} {} {} {} {:.2f} {:.2f} cm".format(*matrix),
    ]
    for line in lines:
        for path_operator, (x, y) in zip(path_operators(), line, strict=False):
            operators.append(f"{x:.2f} {y:.2f} {path_operator}")
    # One path, stroked once: crossing lines do not become darker.
    operators.append("S")
    return "\n".join(operators).encode()
