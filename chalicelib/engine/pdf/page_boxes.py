"""The visible box of a page, and how its reader sees it: pages may be turned."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pikepdf

type Matrix = tuple[float, ...]
# What readers show where a page has no box: US Letter.
_FALLBACK_EDGES: Final = (0.0, 0.0, 612.0, 792.0)
_BOX_EDGES: Final = 4


@dataclass(frozen=True, slots=True)
class PdfRectangle:
    """Rectangle in points."""

    left: float
    bottom: float
    width: float
    height: float


def rectangle(edges: Iterable[float]) -> PdfRectangle:
    """Return the rectangle between two opposite corners, in whichever order they are."""
    x1, y1, x2, y2 = edges
    left, bottom = min(x1, x2), min(y1, y2)
    return PdfRectangle(left, bottom, max(x1, x2) - left, max(y1, y2) - bottom)


def visible_box(page: "pikepdf.Page") -> PdfRectangle:
    """Return the part of a page that is shown: its crop box, as far as it is on the medium."""
    medium = _box(page, "/MediaBox") or rectangle(_FALLBACK_EDGES)
    crop = _box(page, "/CropBox")
    if crop is None:
        return medium
    left, bottom = max(crop.left, medium.left), max(crop.bottom, medium.bottom)
    right = min(crop.left + crop.width, medium.left + medium.width)
    top = min(crop.bottom + crop.height, medium.bottom + medium.height)
    if right <= left or top <= bottom:
        return medium
    return PdfRectangle(left, bottom, right - left, top - bottom)


def _box(page: "pikepdf.Page", name: str) -> PdfRectangle | None:
    edges = page.obj.get(name, ())
    if len(edges) != _BOX_EDGES:
        return None
    box = rectangle(float(edge) for edge in edges)
    return box if box.width > 0 and box.height > 0 else None


def page_turn(page: "pikepdf.Page") -> int:
    """Return the degrees by which a page is shown turned clockwise: 0, 90, 180 or 270."""
    degrees = page.obj.get("/Rotate", 0)
    return int(degrees) % 360 // 90 * 90 if isinstance(degrees, int) else 0


def upright_box(box: PdfRectangle, turn: int) -> PdfRectangle:
    """Return a page's box as its reader sees it; only `upright_matrix` knows its origin."""
    if turn == 0:
        return box
    sides = (box.width, box.height) if turn == 180 else (box.height, box.width)  # noqa: PLR2004
    return PdfRectangle(0, 0, *sides)


def upright_matrix(box: PdfRectangle, turn: int) -> Matrix | None:
    """Return the matrix from the upright box to the page; None for a page that is not turned."""
    right, top = box.left + box.width, box.bottom + box.height
    return {
        90: (0, 1, -1, 0, right, box.bottom),
        180: (-1, 0, 0, -1, right, top),
        270: (0, -1, 1, 0, box.left, top),
    }.get(turn)


def multiply(first: Matrix, then: Matrix) -> Matrix:
    """Return the matrix that applies `first` and then `then` (ISO 32000-1, 8.3.4)."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (
        *(a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s),
        *(e * p + f * r + t, e * q + f * s + u),
    )


def bounding_box(box: PdfRectangle, matrix: Matrix) -> PdfRectangle:
    """Return the smallest upright rectangle around a box that a matrix has moved."""
    a, b, c, d, e, f = matrix
    corners = [
        (x, y)
        for x in (box.left, box.left + box.width)
        for y in (box.bottom, box.bottom + box.height)
    ]
    xs = [a * x + c * y + e for x, y in corners]
    ys = [b * x + d * y + f for x, y in corners]
    return rectangle((min(xs), min(ys), max(xs), max(ys)))
