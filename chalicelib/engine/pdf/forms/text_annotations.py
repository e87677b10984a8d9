"""Appearances of annotations that show a text: free text, and stamps by their names (12.5.6)."""

import html
import re
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts, FontStyle
from chalicelib.engine.pdf.fonts.right_to_left import join_letters
from chalicelib.engine.pdf.forms.field_texts import (
    CENTERED,
    NOT_SHOWN,
    RIGHT,
    TextDrawing,
    TextLook,
    font_style,
    named_style,
    text_look_of,
)
from chalicelib.engine.pdf.forms.widget_frames import WidgetFrame, color_operator
from chalicelib.engine.pdf.page_boxes import PdfRectangle

_MAX_CHARACTERS: Final = 20_000
_MAX_STYLE_CHARACTERS: Final = 1000
_DEFAULT_SIZE: Final = 12.0
_ALIGNMENTS: Final = {"center": CENTERED, "right": RIGHT}
_TAG: Final = re.compile(r"<(/?+[a-z]*+)[^<>]*+>", re.IGNORECASE)
_LINE_ENDS: Final = frozenset({"/p", "br", "br/", "/div"})
# Default style (12.7.3.4): declarations as in style sheets.
_STYLE_SIZE: Final = re.compile(r"(?<![\d.])(\d{1,4}(?:\.\d{1,4})?)\s?(?:pt|px)?\b")
_STYLE_COLOR: Final = re.compile(r"#([0-9a-f]{6})(?![0-9a-f])", re.IGNORECASE)
_DEFAULT_STAMP: Final = "Draft"
_STAMP_PREFIX: Final = re.compile(r"^(?:#|S[BH](?=[A-Z]))")
_WORD: Final = re.compile(r"[A-Z]?[^A-Z_\s-]++|[A-Z]")
_MAX_STAMP_CHARACTERS: Final = 60
_GREEN: Final = "0.1 0.5 0.15 rg"
_RED: Final = "0.75 0.1 0.1 rg"
_BLUE: Final = "0.1 0.2 0.6 rg"
_STAMP_COLORS: Final = {
    **dict.fromkeys(("APPROVED", "FINAL", "SOLD", "FOR PUBLIC RELEASE", "COMPLETED"), _GREEN),
    **dict.fromkeys(
        (
            *("NOT APPROVED", "CONFIDENTIAL", "TOP SECRET", "EXPIRED", "VOID"),
            "NOT FOR PUBLIC RELEASE",
        ),
        _RED,
    ),
}


def draw_free_text(
    document: pikepdf.Pdf, annotation: pikepdf.Object, box: PdfRectangle, fonts: BundledFonts
) -> pikepdf.Object:
    """Return the appearance of free text: background, border, callout line, and its lines."""
    look = _look(document, annotation)
    left, bottom, right, top = _differences(annotation, box)
    width, dash = annotation_border(annotation)
    frame = WidgetFrame(
        box.width - left - right,
        box.height - bottom - top,
        None,
        min(max(width, 0), box.width / 4, box.height / 4),
        "/D" if dash else "/S",
        color_operator(_colour(annotation.get("/C"))),
        look.color,
        tuple(dash) or (3.0,),
    )
    text = TextDrawing(fonts, look, frame)
    shown = text.lines(join_letters(NOT_SHOWN.sub("", _contents(annotation))))
    operators = [
        *_callout(annotation, box, f"{width:.2f} w {look.color.upper()}"),
        f"q 1 0 0 1 {left:.3f} {bottom:.3f} cm",
        *("q", *frame.operators(), "Q"),
        *shown,
        "Q",
    ]
    whole = WidgetFrame(box.width, box.height, None, 0, "/S", None, None, (3.0,))
    return whole.appearance(document, operators, text.resources)


def draw_stamp(
    document: pikepdf.Pdf, annotation: pikepdf.Object, box: PdfRectangle, fonts: BundledFonts
) -> pikepdf.Object:
    """Return the appearance of a stamp: the words of its name in a border."""
    name = str(annotation.get("/Name", _DEFAULT_STAMP)).removeprefix("/")[:_MAX_STAMP_CHARACTERS]
    words = _WORD.findall(_STAMP_PREFIX.sub("", name))
    text = NOT_SHOWN.sub("", " ".join(words).upper()) or _DEFAULT_STAMP.upper()
    color = _STAMP_COLORS.get(text, _BLUE)
    border = min(box.width, box.height) / 15
    frame = WidgetFrame(box.width, box.height, None, border, "/B", None, color, (3.0,))
    look = TextLook(FontStyle(bold=True), 0, color, CENTERED)
    drawing = TextDrawing(fonts, look, frame)
    outline = (
        f"q {border:.3f} w {color.upper()} {border / 2:.3f} {border / 2:.3f} "
        f"{box.width - border:.3f} {box.height - border:.3f} re S Q"
    )
    return frame.appearance(document, [outline, *drawing.one_line(text)], drawing.resources)


def annotation_border(annotation: pikepdf.Object) -> tuple[float, list[float]]:
    """Return width and dash of a border."""
    border, style = annotation.get("/Border", Array([0, 0, 1])), annotation.get("/BS")
    if isinstance(style, pikepdf.Dictionary):
        dash = style.get("/D", Array([3])) if style.get("/S") == "/D" else Array()
        width = float(style.get("/W", 1))
    else:
        width = float(border[2]) if len(border) > 2 else 1.0  # noqa: PLR2004
        dash = border[3] if len(border) > 3 else Array()  # noqa: PLR2004
    lengths = [float(length) for length in dash]
    return width, lengths if any(lengths) else []


def _look(document: pikepdf.Pdf, annotation: pikepdf.Object) -> TextLook:
    """Return font, size and colour: by the default appearance, else by the default style."""
    form = document.Root.get("/AcroForm")
    resources = form if isinstance(form, Dictionary) else Dictionary()
    appearance, style = _text(annotation, "/DA"), _text(annotation, "/DS")[:_MAX_STYLE_CHARACTERS]
    look = text_look_of(appearance)
    size = _STYLE_SIZE.search(style)
    alignment = next((each for word, each in _ALIGNMENTS.items() if f"align:{word}" in style), 0)
    quadding: object = annotation.get("/Q")
    color = look.color
    if color is None:
        found = _STYLE_COLOR.search(style)
        parts = bytes.fromhex(found[1]) if found else b"\0\0\0"
        color = " ".join(f"{part / 255:.4g}" for part in parts) + " rg"
    return TextLook(
        named_style(style) if look.font is None else font_style(resources, look.font),
        look.size if look.font is not None else float(size[1]) if size else _DEFAULT_SIZE,
        color,
        quadding if isinstance(quadding, int) else alignment,
    )


def _contents(annotation: pikepdf.Object) -> str:
    """Return the text, or else that of the formatted text."""
    text = _text(annotation, "/Contents")[:_MAX_CHARACTERS]
    if text:
        return text
    rich = _text(annotation, "/RC")[:_MAX_CHARACTERS]
    plain = _TAG.sub(lambda tag: "\n" if tag[1].lower() in _LINE_ENDS else "", rich)
    return html.unescape(plain).strip()


def _text(annotation: pikepdf.Object, key: str) -> str:
    value: object = annotation.get(key)
    if isinstance(value, pikepdf.Stream):
        return value.read_bytes().decode(errors="replace")
    return str(value) if isinstance(value, String) else ""


def _colour(value: object) -> pikepdf.Object | None:
    return value if isinstance(value, Array) else None


def _differences(
    annotation: pikepdf.Object, box: PdfRectangle
) -> tuple[float, float, float, float]:
    """Return the distances of the text box from the annotation's sides."""
    given = annotation.get("/RD")
    if not isinstance(given, Array) or len(given) != 4:  # noqa: PLR2004
        return 0, 0, 0, 0
    left, bottom, right, top = (max(float(each), 0) for each in given)
    if left + right >= box.width or bottom + top >= box.height:
        return 0, 0, 0, 0
    return left, bottom, right, top


def _callout(annotation: pikepdf.Object, box: PdfRectangle, stroke: str) -> list[str]:
    line = annotation.get("/CL")
    if annotation.get("/IT") != Name.FreeTextCallout or not isinstance(line, Array):
        return []
    numbers = [float(each) for each in line]
    points = [
        f"{x - box.left:.3f} {y - box.bottom:.3f}"
        for x, y in zip(numbers[::2], numbers[1::2], strict=False)
    ]
    if len(points) < 2:  # noqa: PLR2004
        return []
    path = " ".join(f"{point} {'l' if place else 'm'}" for place, point in enumerate(points))
    return [f"q {stroke} {path} S Q"]
