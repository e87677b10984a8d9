"""Frame of a widget: its sides as the text in it runs, its background, its border."""

from dataclasses import dataclass
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name

from chalicelib.engine.pdf.page_boxes import (
    Matrix,
    PdfRectangle,
    rectangle,
    upright_box,
    upright_matrix,
)

# Operators by the number of a colour's components; one with none is transparent.
_FILLS: Final = {1: "g", 3: "rg", 4: "k"}
_DEFAULT_DASH: Final = (3,)
_LIGHT, _DARK, _WHITE = "0.75 g", "0.5 g", "1 g"
_EDGES: Final = 4
# Distance of control points that makes four curves a circle.
_KAPPA: Final = 0.5523


@dataclass(frozen=True, slots=True)
class WidgetFrame:
    """Frame in points, with its origin at the lower left; `matrix` turns it onto the page."""

    width: float
    height: float
    matrix: Matrix | None
    border: float
    style: str
    background: str | None
    border_color: str | None
    dash: tuple[float, ...]

    @property
    def inset(self) -> float:
        """Return the distance of the content from the sides."""
        return self.border * 2 if self.style in {"/B", "/I"} else self.border

    def operators(self, *, is_round: bool = False) -> list[str]:
        """Return the operators that draw background and border."""
        lines = []
        if self.background is not None:
            lines.append(f"{self.background} {self._outline(0, is_round=is_round)} f")
        if self.border_color is None or not self.border:
            return lines
        half = self.border / 2
        stroke = f"{self.border:.2f} w {self.border_color.upper()}"
        if self.style == "/U":
            return [*lines, f"{stroke} 0 {half:.2f} m {self.width:.2f} {half:.2f} l S"]
        if self.style in {"/B", "/I"} and not is_round:
            lines += self._relief()
        if self.style == "/D":
            stroke += " [" + " ".join(f"{length:.2f}" for length in self.dash) + "] 0 d"
        return [*lines, f"{stroke} {self._outline(half, is_round=is_round)} S"]

    def _outline(self, inset: float, *, is_round: bool) -> str:
        if not is_round:
            sides = self.width - 2 * inset, self.height - 2 * inset
            return f"{inset:.2f} {inset:.2f} {sides[0]:.2f} {sides[1]:.2f} re"
        radius = min(self.width, self.height) / 2 - inset
        return circle(self.width / 2, self.height / 2, radius)

    def _relief(self) -> list[str]:
        upper, lower = (_WHITE, _LIGHT) if self.style == "/B" else (_DARK, _LIGHT)
        near, far = self.border, self.border * 2
        right, top = self.width - near, self.height - near
        corners = (
            f"{right:.2f} {top:.2f} l {right - near:.2f} {top - near:.2f} l",
            f"{far:.2f} {far:.2f} l h f",
        )
        return [
            " ".join((start, middle, corners[0], inner, corners[1]))
            for start, middle, inner in (
                (
                    f"{upper} {near:.2f} {near:.2f} m",
                    f"{near:.2f} {top:.2f} l",
                    f"{far:.2f} {top - near:.2f} l",
                ),
                (
                    f"{lower} {near:.2f} {near:.2f} m",
                    f"{right:.2f} {near:.2f} l",
                    f"{right - near:.2f} {far:.2f} l",
                ),
            )
        ]

    def appearance(
        self, document: pikepdf.Pdf, operators: list[str], fonts: Dictionary | None = None
    ) -> pikepdf.Object:
        """Return operators as an appearance stream (12.5.5)."""
        form = document.make_stream("\n".join(operators).encode())
        form.Type, form.Subtype = Name.XObject, Name.Form
        form.BBox = Array([0, 0, round(self.width, 3), round(self.height, 3)])
        if self.matrix is not None:
            form.Matrix = Array([round(number, 3) for number in self.matrix])
        form.Resources = Dictionary() if fonts is None else Dictionary(Font=fonts)
        return form


def widget_frame(widget: pikepdf.Object) -> WidgetFrame | None:
    """Return the frame of a widget; None for one without an area."""
    edges = widget.get("/Rect", Array())
    box = rectangle(float(edge) for edge in edges) if len(edges) == _EDGES else None
    if box is None or not box.width or not box.height:
        return None
    looks, style = _dictionary(widget, "/MK"), _dictionary(widget, "/BS")
    turn = int(looks.get("/R", 0)) % 360 // 90 * 90
    place = PdfRectangle(0, 0, box.width, box.height)
    sides = upright_box(place, turn)
    border = widget.get("/Border", Array([0, 0, 1]))
    width = style.get("/W", border[2] if len(border) > 2 else 1)  # noqa: PLR2004
    dash = tuple(float(length) for length in style.get("/D", _DEFAULT_DASH))
    return WidgetFrame(
        sides.width,
        sides.height,
        upright_matrix(place, turn),
        min(max(float(width), 0), min(sides.width, sides.height) / 4),
        str(style.get("/S", "/S")),
        color_operator(looks.get("/BG")),
        color_operator(looks.get("/BC")),
        dash if any(dash) else _DEFAULT_DASH,
    )


def color_operator(components: pikepdf.Object | None) -> str | None:
    """Return the operator that fills with a colour (12.5.2); upper case strokes with it."""
    if components is None or len(components) not in _FILLS:
        return None
    numbers = " ".join(f"{float(each):.4g}" for each in components)
    return f"{numbers} {_FILLS[len(components)]}"


def circle(x: float, y: float, radius: float) -> str:
    """Return the path of a circle."""
    return ellipse(x, y, radius, radius)


def ellipse(x: float, y: float, across: float, up: float) -> str:
    """Return the path of an ellipse about a point, with its half axes."""
    points = ((1, 0), (0, 1), (-1, 0), (0, -1))
    path = [f"{x + across:.3f} {y:.3f} m"]
    for (x1, y1), (x2, y2) in zip(points, (*points[1:], points[0]), strict=True):
        controls = (x1 + x2 * _KAPPA, y1 + y2 * _KAPPA), (x2 + x1 * _KAPPA, y2 + y1 * _KAPPA)
        numbers = [f"{x + across * dx:.3f} {y + up * dy:.3f}" for dx, dy in (*controls, (x2, y2))]
        path.append(" ".join(numbers) + " c")
    return " ".join(path) + " h"


def _dictionary(holder: pikepdf.Object, key: str) -> pikepdf.Object:
    entry = holder.get(key)
    return entry if isinstance(entry, pikepdf.Dictionary) else Dictionary()
