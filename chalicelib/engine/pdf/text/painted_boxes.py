"""Boxes and texts that a page of the browser's paints, in their order, from its content stream.

The browser writes an operator on each line. Shapes with curves and drawings of their own are left
out.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, Literal, NamedTuple

from chalicelib.engine.pdf.page_boxes import Matrix, PdfRectangle, bounding_box, multiply, rectangle

_MAX_LINES: Final = 50_000
_OPERATORS: Final = re.compile(
    rb"^(?:(?P<q>q)|(?P<Q>Q)|(?P<n>[nBS])|(?P<W>W\*? n)|(?P<f>f\*?)|(?P<gs>/\S+) gs"
    rb"|(?P<Do>/\S+) Do|(?P<cm>(?:-?[0-9.]+ ){6})cm|(?P<Tm>(?:-?[0-9.]+ ){6})Tm"
    rb"|(?P<re>(?:-?[0-9.]+ ){4})re)$",
    re.MULTILINE,
)
_IDENTITY: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_PAINTERS: Final = frozenset({"f", "Do", "Tm"})
_UNIT: Final = PdfRectangle(0, 0, 1, 1)
_MAX_DEPTH: Final = 1_000
_GRID: Final = 12


class Painted(NamedTuple):
    """Box that is filled, picture in its box, or origin of a text; in points of the page.

    `name` is that of the graphics state of a box, or of the picture.
    """

    kind: Literal["box", "picture", "text"]
    box: PdfRectangle
    name: str


def painted_boxes(stream: bytes) -> Iterator[Painted]:
    """Yield the boxes that a page paints, of the first 50 000 operators of its content stream."""
    pen = _Pen()
    for found in islice(_OPERATORS.finditer(stream), _MAX_LINES):
        painted = pen.run(str(found.lastgroup), found[str(found.lastgroup)])
        if painted is not None:
            yield painted


class _Pen:
    """Graphics state of a content stream, as far as it matters."""

    def __init__(self) -> None:
        self._matrix, self._state = _IDENTITY, ""
        self._path: PdfRectangle | None = None
        self._clip: PdfRectangle | None = None
        self._saved: list[tuple[Matrix, str, PdfRectangle | None]] = []

    def run(self, operator: str, operand: bytes) -> Painted | None:
        """Run an operator; return the box that it paints."""
        if operator in _PAINTERS:
            return self._paint(operator, operand)
        match operator:
            case "q" if len(self._saved) < _MAX_DEPTH:
                self._saved.append((self._matrix, self._state, self._clip))
            case "Q" if self._saved:
                self._matrix, self._state, self._clip = self._saved.pop()
            case "cm":
                self._matrix = multiply(_numbers(operand), self._matrix)
            case "gs":
                self._state = operand.decode("latin-1")
            case "re":
                x, y, width, height = _numbers(operand)
                self._path = rectangle((x, y, x + width, y + height))
            case "n" | "W":
                self._end_path(is_clip=operator == "W")
        return None

    def _end_path(self, *, is_clip: bool) -> None:
        path, self._path = self._path, None
        if is_clip and path is not None:
            self._clip = self._visible_part(bounding_box(path, self._matrix))

    def _paint(self, operator: str, operand: bytes) -> Painted | None:
        if operator == "Do":
            box = self._visible_part(bounding_box(_UNIT, self._matrix))
            return Painted("picture", box, operand.decode("latin-1"))
        if operator == "Tm":
            x, y = multiply(_numbers(operand), self._matrix)[4:]
            is_shown = self._clip is None or contains(self._clip, (x, y))
            return Painted("text", PdfRectangle(x, y, 0, 0), "") if is_shown else None
        path, self._path = self._path, None
        if path is None:
            return None
        return Painted("box", self._visible_part(bounding_box(path, self._matrix)), self._state)

    def _visible_part(self, box: PdfRectangle) -> PdfRectangle:
        """Return the part of a box inside a clip."""
        clip = self._clip
        if clip is None:
            return box
        left, bottom = max(box.left, clip.left), max(box.bottom, clip.bottom)
        right = min(box.left + box.width, clip.left + clip.width)
        top = min(box.bottom + box.height, clip.bottom + clip.height)
        return PdfRectangle(left, bottom, max(right - left, 0), max(top - bottom, 0))


def covered_share(
    area: PdfRectangle, painted: Iterator[Painted], is_opaque: Callable[[Painted], bool]
) -> float:
    """Return the share of an area that opaque boxes and pictures cover, by a grid of points."""
    points = {
        (area.left + area.width * (x + 0.5) / _GRID, area.bottom + area.height * (y + 0.5) / _GRID)
        for x in range(_GRID)
        for y in range(_GRID)
    }
    for each in painted:
        if each.kind != "text" and points:
            inside = {point for point in points if contains(each.box, point)}
            if inside and is_opaque(each):
                points -= inside
    return 1 - len(points) / (_GRID * _GRID)


def contains(box: PdfRectangle, point: tuple[float, float]) -> bool:
    """Tell whether a point is in a box."""
    return 0 <= point[0] - box.left <= box.width and 0 <= point[1] - box.bottom <= box.height


def _numbers(text: bytes) -> tuple[float, ...]:
    return tuple(map(_number, text.split()))


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
