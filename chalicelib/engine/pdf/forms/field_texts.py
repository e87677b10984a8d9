"""Texts of fields: lines that fit their frame, in the font, size and colour of the field."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import pikepdf
from pikepdf import Dictionary

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts, FontStyle, GlyphRun
from chalicelib.engine.pdf.fonts.right_to_left import join_letters, visual_order
from chalicelib.engine.pdf.forms.form_fields import COMB, MULTILINE, PASSWORD, FormField
from chalicelib.engine.pdf.forms.widget_frames import WidgetFrame

_MIN_SIZE: Final = 4.0
_MAX_SIZE: Final = 144.0
_MULTILINE_SIZE: Final = 12.0
_MULTILINE_SIZES: Final = tuple(half / 2 for half in range(24, 7, -1))
_MAX_GIVEN_SIZE: Final = 2000.0
_MAX_CELLS: Final = 1000
CENTERED, RIGHT = 1, 2
_SELECTION: Final = "0.6 0.75686 0.8549 rg"
_FONT_OPERATOR: Final = re.compile(r"/([^\s/]++)\s++(-?[\d.]++)\s++Tf")
_COLOR_OPERATOR: Final = re.compile(
    r"(?<![\d.])(?:(?:-?[\d.]++\s++){4}k|(?:-?[\d.]++\s++){3}rg|-?[\d.]++\s++g)\b"
)
# All but line feed and carriage return.
NOT_SHOWN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Parts of font names, and of the names that forms use for the standard fonts.
_SERIF: Final = re.compile(r"times|tiro|tibo|tiit|tibi|serif|roman|georgia|garamond", re.IGNORECASE)
_SANS: Final = re.compile(r"sans", re.IGNORECASE)
_FIXED: Final = re.compile(r"cour|cob|mono|consol|typewriter", re.IGNORECASE)
_BOLD: Final = re.compile(r"bold|black|heavy|hebo|hebi|tibo|tibi|cobo|cobi", re.IGNORECASE)
_ITALIC: Final = re.compile(r"ital|obli|heob|hebi|tiit|tibi|coob|cobi", re.IGNORECASE)


class TextLook(NamedTuple):
    """Font, size (0: as it fits), colour and alignment of a field's text."""

    style: FontStyle
    size: float
    color: str
    quadding: int


class TextDrawing:
    """Drawing of a field's text in one widget."""

    def __init__(self, fonts: BundledFonts, look: TextLook, frame: WidgetFrame) -> None:
        """Prepare the drawing."""
        self._fonts, self._look, self._frame = fonts, look, frame
        self._ascent, self._descent = fonts.line_extent(look.style)
        self._leading = self._ascent + self._descent
        self.resources = Dictionary()
        self._padding = max(frame.inset, 1) + (1 if frame.inset <= 1 else 0)
        self._width = max(frame.width - 2 * self._padding, 1)
        self._height = max(frame.height - 2 * frame.inset, 1)

    def one_line(self, text: str) -> list[str]:
        """Draw a text in one line, in the middle of the frame's height."""
        size = self._look.size or self._fitting_size([text])
        baseline = self._frame.height / 2 + (self._descent - self._ascent) / 2 * size
        return self._enclose([self._line(text, size, baseline)])

    def lines(self, text: str) -> list[str]:
        """Draw a text in lines from the top, broken where they are full."""
        size = self._look.size or self._fitting_lines(text)
        broken = list(self._break_lines(text, size))
        top = self._frame.height - max(self._frame.inset, 1) - self._ascent * size
        return self._enclose(
            [
                self._line(line, size, top - number * size * self._leading)
                for number, line in enumerate(broken)
                # Lines below the frame are not seen.
                if top - number * size * self._leading > -size
            ]
        )

    def cells(self, text: str, count: int) -> list[str]:
        """Draw each character in the middle of its cell, of `count` equal ones."""
        size = self._look.size or min(self._height / self._leading, _MULTILINE_SIZE)
        cell = self._frame.width / count
        free_cells = count - len(text)
        first = {CENTERED: free_cells // 2, RIGHT: free_cells}.get(self._look.quadding, 0)
        baseline = self._frame.height / 2 + (self._descent - self._ascent) / 2 * size
        drawn = []
        for number, character in enumerate(text, first):
            runs = self._runs(character)
            middle = cell * (number + 0.5) - self._width_of(character) * size / 2
            drawn.append(self._show_runs(runs, size, middle, baseline))
        return [*self._dividers(count), *self._enclose(drawn)]

    def options(self, texts: Sequence[str], selected: Collection[int], top: int) -> list[str]:
        """Draw the options of a list from the option `top` on; selected ones are highlighted."""
        size = self._look.size or _MULTILINE_SIZE
        height = size * self._leading
        highlights, drawn = [], []
        upper = self._frame.height - max(self._frame.inset, 1)
        for index, text in enumerate(texts[top:], top):
            if index in selected:
                bottom = upper - height
                highlights.append(
                    f"{_SELECTION} {self._frame.inset:.2f} {bottom:.3f} "
                    f"{self._frame.width - 2 * self._frame.inset:.2f} {height:.3f} re f"
                )
            drawn.append(self._line(text, size, upper - self._ascent * size))
            upper -= height
            if upper < 0:
                break
        return self._enclose(drawn, highlights)

    def _enclose(self, drawn: list[str], below: Sequence[str] = ()) -> list[str]:
        inset = self._frame.inset
        sides = self._frame.width - 2 * inset, self._frame.height - 2 * inset
        clip = f"{inset:.2f} {inset:.2f} {sides[0]:.2f} {sides[1]:.2f} re W n"
        return ["/Tx BMC q", clip, *below, "BT", self._look.color, *drawn, "ET", "Q EMC"]

    def _line(self, text: str, size: float, baseline: float) -> str:
        runs = self._runs(text)
        free_width = self._width - self._width_of(text) * size
        # A text that is too long shows its beginning.
        shift = {CENTERED: free_width / 2, RIGHT: free_width}.get(self._look.quadding, 0)
        return self._show_runs(runs, size, self._padding + max(shift, 0), baseline)

    def _show_runs(self, runs: Sequence[GlyphRun], size: float, x: float, y: float) -> str:
        parts = [f"1 0 0 1 {x:.3f} {y:.3f} Tm"]
        for run in runs:
            self.resources[run.name] = run.font
            parts.append(f"{run.name} {size:.2f} Tf <{run.glyphs}> Tj")
        return " ".join(parts)

    def _width_of(self, text: str) -> float:
        return self._fonts.width(text, self._look.style)

    def _runs(self, text: str) -> list[GlyphRun]:
        return self._fonts.runs(visual_order(text), self._look.style)

    def _fitting_size(self, texts: Sequence[str]) -> float:
        widest = max(map(self._width_of, texts), default=0)
        fitting = min(self._height / self._leading, self._width / max(widest, 0.001))
        return min(max(fitting, _MIN_SIZE), _MAX_SIZE)

    def _fitting_lines(self, text: str) -> float:
        """Return the largest size in which all lines are seen, or the smallest one."""

        def fits(size: float) -> bool:
            count = sum(1 for _ in self._break_lines(text, size))
            return count * size * self._leading <= self._height

        index = bisect_left(_MULTILINE_SIZES, True, key=fits)  # noqa: FBT003
        return _MULTILINE_SIZES[min(index, len(_MULTILINE_SIZES) - 1)]

    def _break_lines(self, text: str, size: float) -> Iterator[str]:
        """Yield the lines of a text; a word that is wider than a line is broken."""
        for paragraph in text.splitlines() or [""]:
            line, width = "", 0.0
            for word in re.findall(r"\S+\s*|\s+", paragraph):
                for piece in self._pieces(word, size):
                    bare = self._width_of(piece.rstrip()) * size
                    if line and width + bare > self._width:
                        yield line.rstrip()
                        line, width = "", 0.0
                    line += piece
                    width += self._width_of(piece) * size
            yield line.rstrip()

    def _pieces(self, word: str, size: float) -> Iterator[str]:
        if self._width_of(word.rstrip()) * size <= self._width:
            yield word
            return
        yield from word

    def _dividers(self, count: int) -> list[str]:
        frame = self._frame
        if frame.border_color is None or frame.style not in {"/S", "/D"} or not frame.border:
            return []
        cell = frame.width / count
        lines = " ".join(
            f"{cell * number:.2f} 0 m {cell * number:.2f} {frame.height:.2f} l"
            for number in range(1, count)
        )
        return [f"q {frame.border:.2f} w {frame.border_color.upper()} {lines} S Q"]


def text_operators(field: FormField, drawing: TextDrawing) -> list[str]:
    """Return the operators that draw the value of a text field."""
    text = join_letters(NOT_SHOWN.sub("", "".join(field.values)))
    longest = field.number("/MaxLen")
    if field.has(PASSWORD):
        return drawing.one_line("*" * len(text))
    if field.has(MULTILINE):
        return drawing.lines(text)
    flat = " ".join(text.splitlines())
    if field.has(COMB) and len(flat) <= longest and 0 < longest <= _MAX_CELLS:
        return drawing.cells(flat, longest)
    return drawing.one_line(flat) if flat else []


def text_look(field: FormField, widget: pikepdf.Object) -> TextLook:
    """Return how the text of a field looks in one of its widgets."""
    own = widget.get("/DA")
    given = text_look_of(str(own if own is not None else field.entry("/DA") or ""))
    quadding: object = widget.get("/Q")
    return TextLook(
        font_style(field.form, given.font or "Helv"),
        given.size,
        given.color or "0 g",
        quadding if isinstance(quadding, int) else field.number("/Q"),
    )


class GivenLook(NamedTuple):
    """Name of a font, size and colour that a default appearance gives."""

    font: str | None
    size: float
    color: str | None


def text_look_of(appearance: str) -> GivenLook:
    """Return font, size and colour of a default appearance: its last operators count."""
    fonts = _FONT_OPERATOR.findall(appearance)
    name, size = fonts[-1] if fonts else (None, "0")
    colors = _COLOR_OPERATOR.findall(appearance)
    return GivenLook(name, min(abs(_number(size)), _MAX_GIVEN_SIZE), colors[-1] if colors else None)


def font_style(form: pikepdf.Object, name: str) -> FontStyle:
    """Return the bundled font in place of a font of the form."""
    fonts = form.get("/DR", Dictionary()).get("/Font", Dictionary())
    font = fonts.get(f"/{name}", Dictionary()) if isinstance(fonts, pikepdf.Dictionary) else None
    return named_style(
        str(font.get("/BaseFont", name)) if isinstance(font, pikepdf.Dictionary) else name
    )


def named_style(known: str) -> FontStyle:
    """Return the bundled font that is most like one by its name."""
    is_serif = _SERIF.search(known) and not _SANS.search(known)
    family = "Cousine" if _FIXED.search(known) else "Tinos" if is_serif else "Arimo"
    return FontStyle(family, bool(_BOLD.search(known)), bool(_ITALIC.search(known)))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
