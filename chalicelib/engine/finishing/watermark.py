"""The diagonal TEST on everything a test key makes, drawn as lines so that it needs no font."""

import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pikepdf

type Point = tuple[float, float]
type Line = tuple[Point, ...]


def _on_ellipse(middle: float, degrees: int) -> Point:
    angle = math.radians(degrees)
    return (0.325 + 0.325 * math.cos(angle), middle + 0.25 * math.sin(angle))


_T: Final[tuple[Line, ...]] = (((0, 1), (0.7, 1)), ((0.35, 1), (0.35, 0)))
_E: Final[tuple[Line, ...]] = (
    ((0.65, 1), (0, 1), (0, 0), (0.65, 0)),
    ((0, 0.52), (0.55, 0.52)),
)
# Two bows of an ellipse: over the top to the middle, and on below to the lower left.
_S: Final[tuple[Line, ...]] = (
    (
        *(_on_ellipse(0.75, degrees) for degrees in range(30, 271, 20)),
        *(_on_ellipse(0.25, degrees) for degrees in range(70, -151, -20)),
    ),
)
_LETTERS: Final = (_T, _E, _S, _T)
_ADVANCE: Final = 0.95
_WORD_WIDTH: Final = 3 * _ADVANCE + 0.7
# The word takes this part of the diagonal, and of either side at most this part.
_OF_DIAGONAL: Final = 0.55
_OF_SIDE: Final = 0.8
_THICKNESS: Final = 0.13
_GREY: Final = 0.45
_OPACITY: Final = 0.3


def strokes(width: float, height: float) -> tuple[list[Line], float]:
    """Return the lines of the word on a sheet, origin at its lower left, and their thickness."""
    diagonal = math.hypot(width, height)
    cosine, sine = width / diagonal, height / diagonal
    size = min(
        diagonal * _OF_DIAGONAL / _WORD_WIDTH,
        width * _OF_SIDE / (_WORD_WIDTH * cosine + sine),
        height * _OF_SIDE / (_WORD_WIDTH * sine + cosine),
    )

    def place(point: Point) -> Point:
        x, y = (point[0] - _WORD_WIDTH / 2) * size, (point[1] - 0.5) * size
        return (width / 2 + x * cosine - y * sine, height / 2 + x * sine + y * cosine)

    lines = [tuple(place(point) for point in line) for line in _word()]
    return lines, size * _THICKNESS


def mark_pdf(content: bytes) -> bytes:
    """Draw the word over every page, as an artifact: tags and reading order stay as they are."""
    import pikepdf  # noqa: PLC0415 -- only test renders need it here

    result = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as document:
        state = pikepdf.Dictionary(Type=pikepdf.Name.ExtGState, CA=_OPACITY)
        shared = document.make_indirect(state)
        for page in document.pages:
            _mark_page(document, page, shared)
        # The same input gives the same bytes.
        document.save(result, deterministic_id=True)
    return result.getvalue()


def mark_png(content: bytes) -> bytes:
    """Draw the word over a picture, whose transparency stays."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 -- only test renders need it

    # The picture comes from our own browser and its size has been limited there
    # (browser/pictures.py).
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(io.BytesIO(content)) as original:
        mode, size = original.mode, original.size
        sheet = original.convert("RGBA")
    layer = Image.new("RGBA", size)
    drawing = ImageDraw.Draw(layer)
    lines, thickness = strokes(*size)
    grey = round(_GREY * 255)
    for line in lines:
        upside_down = [(x, size[1] - y) for x, y in line]
        drawing.line(
            upside_down,
            fill=(grey, grey, grey, round(_OPACITY * 255)),
            width=max(round(thickness), 1),
            joint="curve",
        )
    sheet.alpha_composite(layer)
    result = io.BytesIO()
    sheet.convert(mode).save(result, "PNG", compress_level=3)
    return result.getvalue()


def _mark_page(document: "pikepdf.Pdf", page: "pikepdf.Page", state: "pikepdf.Object") -> None:
    import pikepdf  # noqa: PLC0415 -- as its caller

    left, bottom, right, top = (float(edge) for edge in page.cropbox)
    name = page.add_resource(state, pikepdf.Name.ExtGState, name=pikepdf.Name.PlatenTest)
    lines, thickness = strokes(right - left, top - bottom)
    drawn = _operators(lines, thickness, origin=(left, bottom), state=str(name))
    # What was drawn before has left its own matrix behind.
    page.contents_add(document.make_stream(b"q\n"), prepend=True)
    page.contents_add(document.make_stream(b"\nQ\n" + drawn))


def _operators(lines: Sequence[Line], thickness: float, *, origin: Point, state: str) -> bytes:
    words = [
        "/Artifact <</Type /Pagination /Subtype /Watermark>> BDC q",
        f"{state} gs 0 J 1 j {thickness:.2f} w {_GREY} G",
        f"1 0 0 1 {origin[0]:.2f} {origin[1]:.2f} cm",
    ]
    for line in lines:
        for operator, (x, y) in zip(_moves(), line, strict=False):
            words.append(f"{x:.2f} {y:.2f} {operator}")
    # One path, stroked once: where letters' lines cross it is not darker.
    words.append("S Q EMC")
    return "\n".join(words).encode()


def _moves() -> Iterator[str]:
    yield "m"
    while True:
        yield "l"


def _word() -> Iterator[Line]:
    for position, letter in enumerate(_LETTERS):
        for line in letter:
            yield tuple((x + position * _ADVANCE, y) for x, y in line)
