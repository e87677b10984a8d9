"""Test mark: the diagonal word TEST on every file of a test key, in lines, so without a font.

pdf/drawings/test_mark.py draws it on the pages of a PDF.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import Image

type Point = tuple[float, float]
type Polyline = tuple[Point, ...]


def _on_ellipse(middle: float, degrees: int) -> Point:
    angle = math.radians(degrees)
    return (0.325 + 0.325 * math.cos(angle), middle + 0.25 * math.sin(angle))


_T: Final[tuple[Polyline, ...]] = (((0, 1), (0.7, 1)), ((0.35, 1), (0.35, 0)))
_E: Final[tuple[Polyline, ...]] = (
    ((0.65, 1), (0, 1), (0, 0), (0.65, 0)),
    ((0, 0.52), (0.55, 0.52)),
)
# Two arcs of ellipses: over the top to the middle, then below to the lower left.
_S: Final[tuple[Polyline, ...]] = (
    (
        *(_on_ellipse(0.75, degrees) for degrees in range(30, 271, 20)),
        *(_on_ellipse(0.25, degrees) for degrees in range(70, -151, -20)),
    ),
)
_LETTERS: Final = (_T, _E, _S, _T)
_ADVANCE: Final = 0.95
_WORD_WIDTH: Final = 3 * _ADVANCE + 0.7
# Length of the word as a share of the diagonal, and its largest share of either side.
_DIAGONAL_SHARE: Final = 0.55
_SIDE_SHARE: Final = 0.8
_THICKNESS: Final = 0.13
GREY: Final = 0.45
OPACITY: Final = 0.3
_VIEW_BOX: Final = 1000


def word_strokes(width: float, height: float) -> tuple[list[Polyline], float]:
    """Return the lines of the word and their thickness; the origin is the lower left corner."""
    diagonal = math.hypot(width, height)
    cosine, sine = width / diagonal, height / diagonal
    size = min(
        diagonal * _DIAGONAL_SHARE / _WORD_WIDTH,
        width * _SIDE_SHARE / (_WORD_WIDTH * cosine + sine),
        height * _SIDE_SHARE / (_WORD_WIDTH * sine + cosine),
    )

    def to_page(point: Point) -> Point:
        x, y = (point[0] - _WORD_WIDTH / 2) * size, (point[1] - 0.5) * size
        return (width / 2 + x * cosine - y * sine, height / 2 + x * sine + y * cosine)

    lines = [tuple(to_page(point) for point in line) for line in _word_lines()]
    return lines, size * _THICKNESS


def mark_image(picture: "Image.Image") -> "Image.Image":
    """Return the picture with the word over it; its transparency stays."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 -- only test renders need it

    word = Image.new("L", picture.size)
    drawing = ImageDraw.Draw(word)
    lines, thickness = word_strokes(*picture.size)
    for line in lines:
        upside_down = [(x, picture.height - y) for x, y in line]
        shade, width = round(OPACITY * 255), max(round(thickness), 1)
        drawing.line(upside_down, fill=shade, width=width, joint="curve")
    grey = (round(GREY * 255),) * 3
    if picture.mode == "RGB":
        picture.paste(grey, mask=word)
        return picture
    layer = Image.new("RGB", picture.size, grey)
    layer.putalpha(word)
    return Image.alpha_composite(picture, layer)


def mark_html(html: str) -> str:
    """Return the document with the word over the whole window."""
    lines, thickness = word_strokes(_VIEW_BOX, _VIEW_BOX)
    path = "".join(
        f"{operator}{x:.0f} {_VIEW_BOX - y:.0f}"
        for line in lines
        for operator, (x, y) in zip(path_operators(), line, strict=False)
    ).upper()
    grey = round(GREY * 255)
    word = (
        f'<svg aria-hidden="true" viewBox="0 0 {_VIEW_BOX} {_VIEW_BOX}" '
        'style="position:fixed;inset:0;width:100%;height:100%;pointer-events:none;z-index:2147483647">'
        f'<path d="{path}" fill="none" stroke="rgb({grey},{grey},{grey})" '
        f'stroke-width="{thickness:.0f}" stroke-opacity="{OPACITY}"/></svg>'
    )
    # At the end, from where parsers move it into the body. A document of frames has no body:
    # there the word comes first, which creates one.
    return word + html if "</frameset>" in html else html + word


def path_operators() -> Iterator[str]:
    """Yield the operators of the points of a line."""
    yield "m"
    while True:
        yield "l"


def _word_lines() -> Iterator[Polyline]:
    for position, letter in enumerate(_LETTERS):
        for line in letter:
            yield tuple((x + position * _ADVANCE, y) for x, y in line)
