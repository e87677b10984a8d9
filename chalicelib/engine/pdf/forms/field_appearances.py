"""Appearances of form fields, so that every reader shows their values."""

from typing import Final

import pikepdf
from pikepdf import Dictionary, Name

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts
from chalicelib.engine.pdf.forms.field_texts import CENTERED, TextDrawing, text_look, text_operators
from chalicelib.engine.pdf.forms.form_fields import (
    COMBO,
    OFF,
    PUSH_BUTTON,
    RADIO,
    FormField,
    button_states,
)
from chalicelib.engine.pdf.forms.widget_frames import WidgetFrame, circle, widget_frame

type Polyline = tuple[tuple[float, float], ...]
# Marks of buttons by the characters of ZapfDingbats that name them (12.5.6.19): lines of points
# in a square of side 1. A check mark is what an unknown one shows.
_CHECK: Final[Polyline] = ((0.18, 0.52), (0.4, 0.25), (0.82, 0.8))
_POLYGONS: Final[dict[str, Polyline]] = {
    "n": ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)),
    "u": ((0.5, 0.1), (0.9, 0.5), (0.5, 0.9), (0.1, 0.5)),
    "H": (
        *((0.5, 0.95), (0.61, 0.62), (0.95, 0.62), (0.68, 0.41), (0.78, 0.08)),
        *((0.5, 0.28), (0.22, 0.08), (0.32, 0.41), (0.05, 0.62), (0.39, 0.62)),
    ),
}
_CIRCLE, _CROSS = "l", "8"
_DEFAULT_ON: Final = "/Yes"


def draw_field(document: pikepdf.Pdf, field: FormField, fonts: BundledFonts) -> None:
    """Give each widget of a field the appearance of the field's value."""
    for widget in field.widgets:
        if field.type in {"/Tx", "/Ch"}:
            _draw_text(document, field, widget, fonts)
        elif field.type == "/Btn" and not field.has(PUSH_BUTTON):
            complete_button(document, field, widget)
        elif field.type == "/Btn" and not has_appearance(widget):
            _draw_text(document, field, widget, fonts)


def has_appearance(widget: pikepdf.Object) -> bool:
    """Tell whether a widget has a normal appearance."""
    appearances = widget.get("/AP")
    return isinstance(appearances, pikepdf.Dictionary) and isinstance(
        appearances.get("/N"), pikepdf.Dictionary | pikepdf.Stream
    )


def _draw_text(
    document: pikepdf.Pdf, field: FormField, widget: pikepdf.Object, fonts: BundledFonts
) -> None:
    frame = widget_frame(widget)
    if frame is None:
        return
    look = text_look(field, widget)
    if field.type == "/Btn":
        look = look._replace(quadding=CENTERED)
    drawing = TextDrawing(fonts, look, frame)
    if field.type == "/Btn":
        operators = drawing.one_line(_caption(widget))
    elif field.type == "/Tx":
        operators = text_operators(field, drawing)
    else:
        operators = _choice_operators(field, drawing)
    drawn = [*_enclose(frame.operators()), *operators]
    widget.AP = Dictionary(N=frame.appearance(document, drawn, drawing.resources))


def _choice_operators(field: FormField, drawing: TextDrawing) -> list[str]:
    options = field.options
    if field.has(COMBO):
        value = "".join(field.values[:1])
        text = next((shown for export, shown in options if export == value), value)
        return drawing.one_line(text) if text else []
    values = set(field.values)
    selected = {
        index
        for index, (export, shown) in enumerate(options)
        if export in values or shown in values
    }
    top = min(max(field.number("/TI"), 0), max(len(options) - 1, 0))
    return drawing.options([shown for _, shown in options], selected, top)


def complete_button(document: pikepdf.Pdf, field: FormField, widget: pikepdf.Object) -> None:
    """Give a check box or radio button the appearances of its two states, unless it has them."""
    frame = widget_frame(widget)
    if button_states(widget) or frame is None:
        return
    on = on_state(field, widget)
    mark = _mark_of(field, widget)
    is_round = field.has(RADIO) and mark == _CIRCLE
    off_operators = _enclose(frame.operators(is_round=is_round))
    on_operators = [*off_operators, *_enclose(_mark_operators(frame, mark))]
    states = Dictionary()
    states[on] = frame.appearance(document, on_operators)
    states[OFF] = frame.appearance(document, off_operators)
    widget.AP = Dictionary(N=states)
    if "/AS" not in widget:
        widget.AS = Name(on if [on] == field.values else OFF)


def on_state(field: FormField, widget: pikepdf.Object) -> str:
    """Return the name of the state in which a check box or radio button is on."""
    states = button_states(widget)
    if states:
        return states[0]
    state = str(widget.get("/AS", OFF))
    if state.startswith("/") and state != OFF:
        return state
    if field.has(RADIO) or len(field.widgets) > 1:
        # Buttons without appearances are told apart by their places in the group.
        return f"/{_place(field, widget)}"
    values = [value for value in field.values if value.startswith("/") and value != OFF]
    return values[0] if values else _DEFAULT_ON


def _place(field: FormField, widget: pikepdf.Object) -> int:
    return next(
        (
            index
            for index, each in enumerate(field.widgets)
            if each.objgen == widget.objgen and each == widget
        ),
        0,
    )


def _mark_of(field: FormField, widget: pikepdf.Object) -> str:
    return _caption(widget) or (_CIRCLE if field.has(RADIO) else "")


def _caption(widget: pikepdf.Object) -> str:
    looks = widget.get("/MK", Dictionary())
    return str(looks.get("/CA", "")) if isinstance(looks, pikepdf.Dictionary) else ""


def _mark_operators(frame: WidgetFrame, mark: str) -> list[str]:
    side = min(frame.width, frame.height) - 2 * frame.inset
    left, bottom = (frame.width - side) / 2, (frame.height - side) / 2
    if mark == _CIRCLE:
        return [f"0 g {circle(frame.width / 2, frame.height / 2, side / 4)} f"]
    lines = [_CHECK]
    if mark in _POLYGONS:
        lines = [_POLYGONS[mark]]
    elif mark == _CROSS:
        lines = [((0.2, 0.2), (0.8, 0.8)), ((0.2, 0.8), (0.8, 0.2))]
    paths = []
    for line in lines:
        (x, y), *rest = [(left + x * side, bottom + y * side) for x, y in line]
        paths.append(f"{x:.3f} {y:.3f} m " + " ".join(f"{x:.3f} {y:.3f} l" for x, y in rest))
    if mark in _POLYGONS:
        return [f"0 g {paths[0]} h f"]
    return [f"0 G 1 J 1 j {side * 0.12:.3f} w {' '.join(paths)} S"]


def _enclose(operators: list[str]) -> list[str]:
    return ["q", *operators, "Q"] if operators else []
