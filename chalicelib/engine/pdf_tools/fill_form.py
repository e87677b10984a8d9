"""Tool `fill-form`: values of form fields, drawn so that every reader shows them."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

import pikepdf
from pikepdf import Array, Name, String

from chalicelib.contract.options.pdf_tools import FieldValue, FillFormOptions
from chalicelib.core.errors import RenderFailure, json_pointer
from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts
from chalicelib.engine.pdf.forms.draw_form import finish_fonts
from chalicelib.engine.pdf.forms.field_appearances import (
    complete_button,
    draw_field,
    has_appearance,
    on_state,
)
from chalicelib.engine.pdf.forms.form_fields import (
    COMBO,
    EDITABLE,
    MULTI_SELECT,
    OFF,
    PUSH_BUTTON,
    RADIO,
    FormField,
    document_form,
    form_fields,
)
from chalicelib.engine.pdf.forms.xfa import remove_xfa
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput, refused_option
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output

_MAX_NAMES_SHOWN: Final = 10
_MAX_NAME_CHARACTERS: Final = 30
_MAX_FIELDS_SHOWN: Final = 20
_MAX_FIELD_CHARACTERS: Final = 60


def run(tool_input: ToolInput[FillFormOptions]) -> ToolOutput:
    """Set the values of the fields that are named, and draw them."""
    values = tool_input.options.fields
    with open_source(tool_input.source, tool_input) as document:
        form = document_form(document)
        fields = {} if form is None else form_fields(form)
        for name in values:
            if name not in fields:
                raise _refusal(name, _unknown_field_message(fields), "unknown")
        if form is not None:
            # It would show the old values.
            remove_xfa(document, tool_input.warn)
            _tell_of_scripts(form, fields, tool_input)
            for name, value in values.items():
                _set_value(document, fields[name], value)
            _draw(document, form, fields, tool_input)
        return pdf_output(document, tool_input)


def _tell_of_scripts(
    form: pikepdf.Object, fields: dict[str, FormField], tool_input: ToolInput[FillFormOptions]
) -> None:
    scripts = (field.entry("/AA") for field in fields.values())
    if form.get("/CO") or any(
        "/C" in each or "/F" in each for each in scripts if isinstance(each, pikepdf.Dictionary)
    ):
        message = "Scripts of the form that calculate or format values were not run."
        tool_input.warn("feature_unavailable", message, "scripts")


def _draw(
    document: pikepdf.Pdf,
    form: pikepdf.Object,
    fields: dict[str, FormField],
    tool_input: ToolInput[FillFormOptions],
) -> None:
    """Draw the fields that were set, and those that readers were asked to draw themselves."""
    fonts = BundledFonts(document, tool_input.fonts)
    draws_all = bool(form.get("/NeedAppearances", False))
    for name, field in fields.items():
        if (
            name in tool_input.options.fields
            or draws_all
            or not all(has_appearance(widget) for widget in field.widgets)
        ):
            draw_field(document, field, fonts)
    finish_fonts(fonts, tool_input.warn)
    if "/NeedAppearances" in form:
        del form.NeedAppearances


def _set_value(document: pikepdf.Pdf, field: FormField, value: FieldValue) -> None:
    if field.type == "/Tx":
        _store(field, String(_checked_text(field, value)))
    elif field.type == "/Ch":
        _set_choice(field, value)
    elif field.type == "/Btn" and not field.has(PUSH_BUTTON):
        _set_button(document, field, value)
    else:
        kind = {"/Sig": "a signature field", "/Btn": "a push button"}.get(field.type, "no field")
        raise _refusal(field.name, f"is {kind}, which has no value to fill in")


def _store(field: FormField, value: pikepdf.Object | None) -> None:
    for holder in (field.dictionary, *field.twins):
        # Formatted text would be shown in place of the value.
        for key in ("/V", "/RV", "/I"):
            if key in holder:
                del holder[key]
        if value is not None:
            holder.V = value


def _checked_text(field: FormField, value: FieldValue) -> str:
    if not isinstance(value, str):
        raise _refusal(field.name, "is a text field: send a text", "wrong_type")
    longest = field.number("/MaxLen")
    if 0 < longest < len(value):
        raise _refusal(field.name, f"takes at most {longest} characters", "wrong_length")
    return value


def _set_choice(field: FormField, value: FieldValue) -> None:
    if isinstance(value, bool):
        raise _refusal(field.name, "is a choice: send a text, or a list of texts", "wrong_type")
    wanted = [value] if isinstance(value, str) else [*value]
    if len(wanted) > 1 and not (field.has(MULTI_SELECT) and not field.has(COMBO)):
        raise _refusal(field.name, "takes one choice only", "wrong_length")
    options = field.options
    is_open = field.has(COMBO) and field.has(EDITABLE)
    if wanted == [""] and not any("" in pair for pair in options):
        wanted = []
    chosen = []
    for text in wanted:
        index = next((n for n, (export, _) in enumerate(options) if export == text), None)
        if index is None:
            index = next((n for n, (_, shown) in enumerate(options) if shown == text), None)
        if index is None and not is_open:
            offered = _list_names(export for export, _ in options)
            raise _refusal(field.name, f"does not offer this value, but {offered}")
        chosen.append((index, text if index is None else options[index][0]))
    exports = [String(export) for _, export in chosen]
    _store(field, Array(exports) if len(exports) > 1 else exports[0] if exports else None)
    indexes = sorted(index for index, _ in chosen if index is not None)
    if indexes and not field.has(COMBO):
        field.dictionary.I = Array(indexes)


def _set_button(document: pikepdf.Pdf, field: FormField, value: FieldValue) -> None:
    for widget in field.widgets:
        complete_button(document, field, widget)
    states = [on_state(field, widget) for widget in field.widgets]
    state = _wanted_state(field, value, states)
    _store(field, Name(state))
    for widget, own in zip(field.widgets, states, strict=True):
        widget.AS = Name(state if own == state else OFF)


def _wanted_state(field: FormField, value: FieldValue, states: list[str]) -> str:
    kind = "radio buttons" if field.has(RADIO) else "a check box"
    if isinstance(value, tuple) or (isinstance(value, bool) and field.has(RADIO)):
        raise _refusal(field.name, f"is {kind}: send the name of a state", "wrong_type")
    if value is False or value in {"Off", ""}:
        return OFF
    if value is True:
        if len(set(states)) != 1:
            raise _refusal(
                field.name, f"has several boxes: send one of {_names(states)}", "not_allowed"
            )
        return states[0]
    if f"/{value}" in states:
        return f"/{value}"
    # Where the states are numbers, `/Opt` has the export values, one for each widget.
    for (export, _), state in zip(field.options, states, strict=False):
        if export == value:
            return state
    raise _refusal(field.name, f"has no such state, but {_names(states)}")


def _names(states: list[str]) -> str:
    return _list_names(dict.fromkeys(state[1:] for state in states))


def _list_names(names: Iterable[str]) -> str:
    texts = [repr(name[:_MAX_NAME_CHARACTERS]) for name in names]
    more = len(texts) - _MAX_NAMES_SHOWN
    return ", ".join(texts[:_MAX_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _unknown_field_message(fields: dict[str, FormField]) -> str:
    if not fields:
        return "the document has no fields"
    names = ", ".join(name[:_MAX_FIELD_CHARACTERS] for name in islice(fields, _MAX_FIELDS_SHOWN))
    more = len(fields) - _MAX_FIELDS_SHOWN
    rest = f" and {more} more" if more > 0 else ""
    return f"the document has no field of this name; it has {names}{rest}"


def _refusal(name: str, message: str, code: str = "not_allowed") -> RenderFailure:
    return refused_option(json_pointer([name], "/fields"), message, code)
