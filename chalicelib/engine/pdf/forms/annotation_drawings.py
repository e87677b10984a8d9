"""Appearances of annotations that have none of their own (ISO 32000-1, 12.5.6)."""

from collections.abc import Callable, Mapping, Sequence
from itertools import batched, pairwise
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts
from chalicelib.engine.pdf.forms.text_annotations import (
    annotation_border,
    draw_free_text,
    draw_stamp,
)
from chalicelib.engine.pdf.forms.widget_frames import color_operator, ellipse
from chalicelib.engine.pdf.page_boxes import PdfRectangle, rectangle

type _DrawText = Callable[[pikepdf.Pdf, pikepdf.Object, PdfRectangle, BundledFonts], pikepdf.Object]
type Points = Sequence[tuple[float, float]]

_QUAD_NUMBERS: Final = 8
_BLACK: Final = "0 0 0 rg"
_YELLOW: Final = "1 1 0 rg"
_LINE_WIDTH: Final = 1.0
_WAVE: Final = 2.0
_NOTE_SIDE: Final = 20.0


def draw_annotation(
    document: pikepdf.Pdf, annotation: pikepdf.Object, fonts: BundledFonts
) -> pikepdf.Object | None:
    """Return an appearance stream for an annotation; None for a type that cannot be drawn."""
    kind = str(annotation.get("/Subtype"))
    edges = annotation.get("/Rect", Array())
    if len(edges) != 4:  # noqa: PLR2004
        return None
    box = rectangle(float(edge) for edge in edges)
    if kind in _TEXT_DRAWINGS and box.width and box.height:
        form = _TEXT_DRAWINGS[kind](document, annotation, box, fonts)
        return _with_look(annotation, form)
    operators = _DRAWINGS[kind](annotation, box) if kind in _DRAWINGS else []
    if not operators:
        return None
    form = document.make_stream("\n".join(operators).encode())
    form.Type, form.Subtype = Name.XObject, Name.Form
    form.BBox = Array([box.left, box.bottom, box.left + box.width, box.bottom + box.height])
    form.Resources = Dictionary()
    return _with_look(annotation, form)


def _with_look(annotation: pikepdf.Object, form: pikepdf.Object) -> pikepdf.Object:
    """Draw an appearance with the opacity and the blend mode of its annotation."""
    form.write(b"/PlatenLook gs\n" + form.read_bytes())
    opacity = float(annotation.get("/CA", 1))
    blend = Name.Multiply if annotation.Subtype == Name.Highlight else Name.Normal
    look = Dictionary(Type=Name.ExtGState, CA=opacity, ca=opacity, BM=blend)
    form.Resources.ExtGState = Dictionary(PlatenLook=look)
    form.Group = Dictionary(Type=Name.Group, S=Name.Transparency)
    return form


def _border(annotation: pikepdf.Object) -> tuple[float, str]:
    """Return width and dash of the border."""
    width, lengths = annotation_border(annotation)
    return width, f"[{' '.join(f'{length:.2f}' for length in lengths)}] 0 d" if lengths else ""


def _stroke(annotation: pikepdf.Object) -> str:
    width, dash = _border(annotation)
    color = color_operator(annotation.get("/C")) or _BLACK
    return f"{color.upper()} {width:.2f} w {dash}"


def _shape(annotation: pikepdf.Object, box: PdfRectangle) -> list[str]:
    """Draw a rectangle or an ellipse."""
    width, _ = _border(annotation)
    fill = color_operator(annotation.get("/IC"))
    left, bottom = box.left + width / 2, box.bottom + width / 2
    across, up = box.width - width, box.height - width
    path = (
        f"{left:.3f} {bottom:.3f} {across:.3f} {up:.3f} re"
        if annotation.Subtype == Name.Square
        else ellipse(left + across / 2, bottom + up / 2, across / 2, up / 2)
    )
    paint = {(True, True): "B", (True, False): "f", (False, True): "S"}.get(
        (fill is not None, width > 0), "n"
    )
    return [fill or "", _stroke(annotation), path, paint]


def _quads(annotation: pikepdf.Object) -> list[PdfRectangle]:
    """Return the boxes of the marked texts."""
    numbers = [float(each) for each in annotation.get("/QuadPoints", annotation.Rect)]
    size = min(_QUAD_NUMBERS, len(numbers))
    quads = [each for each in batched(numbers, size, strict=False) if len(each) == size]
    return [
        rectangle((min(quad[::2]), min(quad[1::2]), max(quad[::2]), max(quad[1::2])))
        for quad in quads
    ]


def _highlight(annotation: pikepdf.Object, _box: PdfRectangle) -> list[str]:
    boxes = [
        f"{quad.left:.3f} {quad.bottom:.3f} {quad.width:.3f} {quad.height:.3f} re f"
        for quad in _quads(annotation)
    ]
    return [color_operator(annotation.get("/C")) or _YELLOW, *boxes]


def _text_line(annotation: pikepdf.Object, _box: PdfRectangle) -> list[str]:
    """Draw a line under or through each marked text."""
    color = color_operator(annotation.get("/C")) or _BLACK
    lines = [f"{color.upper()} {_LINE_WIDTH:.2f} w"]
    for quad in _quads(annotation):
        middle = annotation.Subtype == Name.StrikeOut
        y = quad.bottom + (quad.height / 2 if middle else _LINE_WIDTH)
        right = quad.left + quad.width
        if annotation.Subtype == Name.Squiggly:
            count = max(int(quad.width / _WAVE), 1)
            points = [(quad.left + n * _WAVE, y + n % 2 * _WAVE) for n in range(count + 1)]
            lines.append(f"{_path(points)} S")
        else:
            lines.append(f"{quad.left:.3f} {y:.3f} m {right:.3f} {y:.3f} l S")
    return lines


def _ink(annotation: pikepdf.Object, _box: PdfRectangle) -> list[str]:
    paths = [_points(path) for path in annotation.get("/InkList", Array())]
    return [_stroke(annotation), *(f"{_path(path)} S" for path in paths if len(path) > 1)]


def _line(annotation: pikepdf.Object, _box: PdfRectangle) -> list[str]:
    points = _points(annotation.get("/L", Array()))
    return [_stroke(annotation), f"{_path(points)} S"] if len(points) > 1 else []


def _polygon(annotation: pikepdf.Object, _box: PdfRectangle) -> list[str]:
    points = _points(annotation.get("/Vertices", Array()))
    if len(points) < 2:  # noqa: PLR2004
        return []
    if annotation.Subtype == Name.PolyLine:
        return [_stroke(annotation), f"{_path(points)} S"]
    fill = color_operator(annotation.get("/IC"))
    return [fill or "", _stroke(annotation), _path(points), "s" if fill is None else "b"]


def _note(annotation: pikepdf.Object, box: PdfRectangle) -> list[str]:
    """Draw a sheet with lines at the upper left: readers show it in one size."""
    color = color_operator(annotation.get("/C")) or _YELLOW
    side = min(_NOTE_SIDE, box.width, box.height)
    left, bottom = box.left, box.bottom + box.height - side
    rows = (bottom + side * share for share in (0.3, 0.5, 0.7))
    lines = [f"{left + side * 0.25:.2f} {y:.2f} m {left + side * 0.75:.2f} {y:.2f} l" for y in rows]
    edge = side * 0.1
    sheet = f"{left + edge:.2f} {bottom + edge:.2f} {side - 2 * edge:.2f} {side - 2 * edge:.2f} re"
    return [f"{color} 0 G 1 w {sheet} B", *lines, "S"]


def _caret(annotation: pikepdf.Object, box: PdfRectangle) -> list[str]:
    """Draw the mark of an insertion."""
    color = color_operator(annotation.get("/C")) or _BLACK
    middle, right, top = box.left + box.width / 2, box.left + box.width, box.bottom + box.height
    foot, tip = f"{middle:.3f} {box.bottom:.3f}", f"{middle:.3f} {top:.3f}"
    return [
        f"{color} {box.left:.3f} {box.bottom:.3f} m",
        f"{foot} {foot} {tip} c",
        f"{foot} {foot} {right:.3f} {box.bottom:.3f} c f",
    ]


def _points(numbers: pikepdf.Object) -> Points:
    return [(x, y) for x, y in batched((float(each) for each in numbers), 2, strict=True)]


def _path(points: Points) -> str:
    (x, y), *_ = points
    lines = (f"{right:.3f} {up:.3f} l" for _, (right, up) in pairwise(points))
    return " ".join([f"{x:.3f} {y:.3f} m", *lines])


_DRAWINGS: Final[Mapping[str, Callable[[pikepdf.Object, PdfRectangle], list[str]]]] = {
    **dict.fromkeys(("/Square", "/Circle"), _shape),
    **dict.fromkeys(("/Underline", "/StrikeOut", "/Squiggly"), _text_line),
    **dict.fromkeys(("/Polygon", "/PolyLine"), _polygon),
    **dict.fromkeys(("/Text", "/FileAttachment"), _note),
    "/Highlight": _highlight,
    "/Caret": _caret,
    "/Ink": _ink,
    "/Line": _line,
}
_TEXT_DRAWINGS: Final[Mapping[str, _DrawText]] = {
    "/FreeText": draw_free_text,
    "/Stamp": draw_stamp,
}
