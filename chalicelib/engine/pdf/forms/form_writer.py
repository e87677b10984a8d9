"""Writer of AcroForm fields (ISO 32000-1, 12.7) at the places of the marks."""

import re
from pathlib import Path
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts
from chalicelib.engine.pdf.fonts.font_files import FontFiles
from chalicelib.engine.pdf.forms.field_appearances import complete_button, draw_field
from chalicelib.engine.pdf.forms.form_control import FormControl
from chalicelib.engine.pdf.forms.form_fields import (
    COMBO,
    MULTI_SELECT,
    MULTILINE,
    OFF,
    PASSWORD,
    RADIO,
    form_fields,
)
from chalicelib.engine.pdf.tagging.structure_tree import element_of

_READ_ONLY, _REQUIRED, _NO_TOGGLE_TO_OFF = 1, 1 << 1, 1 << 14
_PRINTED: Final = 4
_SERIF: Final = re.compile(r"serif|times|georgia|tinos|cambria|caladea|gelasio", re.IGNORECASE)
_SANS: Final = re.compile(r"sans|system-ui", re.IGNORECASE)
_FIXED: Final = re.compile(r"mono|courier|cousine|consol", re.IGNORECASE)
_CHANNEL: Final = r"([0-9]{1,3}(?:\.[0-9]{1,9})?)"
_RGB: Final = re.compile(rf"rgba?\({_CHANNEL}, {_CHANNEL}, {_CHANNEL}", re.ASCII)
_DEFAULT_STATE: Final = "on"
_QUADDING: Final = {"center": 1, "right": 2, "end": 2}
_CIRCLE: Final = "l"
_MAX_SIZE: Final = 2_000
_MAX_NAME_CHARS: Final = 500
# Each part of a name is a level of the form, of which a reader may follow only some.
_MAX_NAME_PARTS: Final = 20
# The standard fonts by family and style, for readers in which values are changed.
_FONTS: Final = {
    "Helv": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
    "TiRo": ("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
    "Cour": ("Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"),
}


class FormWriter:
    """Writer of one document's form."""

    def __init__(self, document: pikepdf.Pdf, fonts_dir: Path) -> None:
        """Add an empty form."""
        self._document = document
        self._fonts = BundledFonts(document, FontFiles(fonts_dir))
        self._form = document.make_indirect(
            Dictionary(
                Fields=Array(),
                DA=String("/Helv 0 Tf 0 g"),
                DR=Dictionary(Font=Dictionary()),
            )
        )
        self._radios: dict[tuple[int, str], pikepdf.Object] = {}
        # Fields by their full names, and those that only hold others.
        self._fields: dict[str, pikepdf.Object] = {}
        self._groups: dict[str, pikepdf.Object] = {}
        # The last number that a name got.
        self._numbers: dict[str, int] = {}

    def add(self, page: pikepdf.Page, mark: pikepdf.Object, field: FormControl) -> None:
        """Make the widget of a field of its mark."""
        for key in [str(key) for key in mark]:
            if key not in {"/Type", "/Rect", "/StructParent"}:
                del mark[key]
        mark.Subtype, mark.F, mark.P = Name.Widget, _PRINTED, page.obj
        if field.kind == "radio":
            self._add_radio(mark, field)
        else:
            self._place(mark, self._free_name(_full_name(field)))
            self._describe(mark, field)
            if field.kind == "checkbox":
                self._set_button(mark, mark, field)
            elif field.kind == "select":
                _set_choice(mark, field)
            else:
                _set_text(mark, field)
        element = element_of(self._document, mark)
        if element is not None:
            element.S = Name.Form

    def finish(self) -> None:
        """Draw the fields and put the form into the document."""
        self._document.Root.AcroForm = self._form
        for field in form_fields(self._form).values():
            if field.type != "/Btn":
                draw_field(self._document, field, self._fonts)
                continue
            for widget in field.widgets:
                shown = widget.AS
                # The name of the state in which it is on, for what draws it.
                widget.AS = widget.PlatenState
                del widget.PlatenState
                complete_button(self._document, field, widget)
                widget.AS = shown
        self._fonts.embed()

    def _add_radio(self, widget: pikepdf.Object, field: FormControl) -> None:
        key = field.form, field.name
        group = self._radios.get(key)
        if group is None or not field.name:
            group = self._document.make_indirect(Dictionary(Kids=Array()))
            self._radios[key] = group
            self._place(group, self._free_name(_full_name(field)))
            self._describe(group, field)
            group.Ff = int(group.Ff) | RADIO | _NO_TOGGLE_TO_OFF
            group.V = Name(OFF)
        group.Kids.append(widget)
        widget.Parent = group
        widget.MK = Dictionary(CA=String(_CIRCLE))
        if field.label:
            widget.TU = String(field.label)
        self._set_button(group, widget, field)

    def _set_button(
        self, holder: pikepdf.Object, widget: pikepdf.Object, field: FormControl
    ) -> None:
        state = f"/{field.value or _DEFAULT_STATE}".replace("\0", "")
        state = "/off" if state == OFF else state
        holder.FT = Name.Btn
        widget.PlatenState = Name(state)
        widget.AS = Name(state if field.is_on else OFF)
        if field.is_on or "/V" not in holder:
            holder.V = widget.AS
            holder.DV = widget.AS

    def _describe(self, holder: pikepdf.Object, field: FormControl) -> None:
        holder.Ff = _READ_ONLY * field.is_read_only | _REQUIRED * field.is_required
        size = round(min(max(field.size, 0), _MAX_SIZE), 2)
        holder.DA = String(f"/{self._font(field)} {size:g} Tf {color_operator(field.color)}")
        if field.label:
            holder.TU = String(field.label)

    def _font(self, field: FormControl) -> str:
        """Return the name of the standard font that is nearest to that of a control."""
        is_serif = _SERIF.search(field.family) and not _SANS.search(field.family)
        name = "Cour" if _FIXED.search(field.family) else "TiRo" if is_serif else "Helv"
        style = field.is_bold + 2 * field.is_italic
        resource = f"{name}{style or ''}"
        fonts = self._form.DR.Font
        if f"/{resource}" not in fonts:
            fonts[f"/{resource}"] = self._document.make_indirect(
                Dictionary(
                    Type=Name.Font,
                    Subtype=Name.Type1,
                    BaseFont=Name(f"/{_FONTS[name][style]}"),
                    Encoding=Name.WinAnsiEncoding,
                )
            )
        return resource

    def _free_name(self, name: str) -> str:
        """Return a name that no field has, with a number if another one has it."""
        free = name
        while free in self._fields or free in self._groups:
            self._numbers[name] = self._numbers.get(name, 1) + 1
            free = f"{name}-{self._numbers[name]}"
        return free

    def _place(self, field: pikepdf.Object, name: str) -> None:
        """Put a field into the form; each part of its name before a period is a group of fields."""
        self._fields[name] = field
        parent, prefix, *parts = None, "", *name.split(".")
        for part in parts[:-1]:
            prefix = f"{prefix}.{part}" if prefix else part
            group = self._groups.get(prefix)
            if group is None:
                group = self._document.make_indirect(Dictionary(T=String(part), Kids=Array()))
                self._groups[prefix] = group
                self._append(group, parent)
                self._rename(prefix)
            parent = group
        field.T = String(parts[-1])
        self._append(field, parent)

    def _rename(self, name: str) -> None:
        """Give another name to a field that has the name of a group, if there is one."""
        field = self._fields.pop(name, None)
        if field is not None:
            free = self._free_name(name)
            self._fields[free] = field
            field.T = String(free.rpartition(".")[2])

    def _append(self, field: pikepdf.Object, parent: pikepdf.Object | None) -> None:
        if parent is None:
            self._form.Fields.append(field)
        else:
            field.Parent = parent
            parent.Kids.append(field)


def _full_name(field: FormControl) -> str:
    """Return the name of a control as that of a field: no part is empty, and there are few."""
    parts = [part for part in field.name[:_MAX_NAME_CHARS].split(".") if part]
    if not parts:
        return "field" if field.name else f"{field.kind}-{field.index + 1}"
    last = "-".join(parts[_MAX_NAME_PARTS:])
    return ".".join([*parts[:_MAX_NAME_PARTS], *([last] if last else [])])


def _set_text(widget: pikepdf.Object, field: FormControl) -> None:
    widget.FT = Name.Tx
    kind = MULTILINE if field.kind == "multiline" else PASSWORD if field.is_password else 0
    widget.Ff = int(widget.Ff) | kind
    widget.Q = _QUADDING.get(field.align, 0)
    if field.max_length:
        widget.MaxLen = field.max_length
    widget.V = widget.DV = String(field.value)


def _set_choice(widget: pikepdf.Object, field: FormControl) -> None:
    widget.FT = Name.Ch
    widget.Ff = int(widget.Ff) | (MULTI_SELECT * field.is_multiple if field.is_list else COMBO)
    widget.Opt = Array([Array([String(value), String(shown)]) for value, shown, _ in field.options])
    chosen = [n for n, option in enumerate(field.options) if option[2]]
    values = [String(field.options[n][0]) for n in chosen]
    if values:
        widget.V = widget.DV = Array(values) if len(values) > 1 else values[0]
        if field.is_list:
            widget.I = Array(chosen)


def color_operator(color: str) -> str:
    """Return the operator of a computed colour, `rgb(…)` or `rgba(…)`; black for any other."""
    channels = _RGB.match(color)
    if channels is None:
        return "0 g"
    red, green, blue = (min(float(each) / 255, 1) for each in channels.groups())
    return f"{red:.4f} {green:.4f} {blue:.4f} rg"
