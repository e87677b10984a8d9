"""Appearances of a form's fields, for tools that keep no viewer's help."""

from collections.abc import Mapping
from typing import Final

import pikepdf
from pikepdf import Dictionary

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts
from chalicelib.engine.pdf.forms.field_appearances import draw_field, has_appearance
from chalicelib.engine.pdf.forms.form_fields import OFF, document_form, form_fields
from chalicelib.engine.pdf.warn import Warn

_MAX_PARENTS: Final = 50


def draw_form(document: pikepdf.Pdf, font_files: Mapping[str, bytes], warn: Warn) -> None:
    """Give fields without appearances one, and all where readers were asked to draw them."""
    form = document_form(document)
    if form is None:
        return
    draws_all = bool(form.get("/NeedAppearances", False))
    fonts = BundledFonts(document, font_files)
    standard = form.get("/DR", Dictionary()).get("/Font")
    for field in form_fields(form).values():
        if draws_all or not all(has_appearance(widget) for widget in field.widgets):
            draw_field(document, field, fonts)
        for widget in field.widgets:
            _complete_fonts(shown_appearance(widget), standard)
    finish_fonts(fonts, warn)


def finish_fonts(fonts: BundledFonts, warn: Warn) -> None:
    """Write the fonts that were used, and warn of characters that none of them has."""
    fonts.embed()
    if fonts.missing is not None:
        warn("glyph_missing", fonts.missing)


def _complete_fonts(appearance: pikepdf.Object | None, standard: pikepdf.Object | None) -> None:
    """Add the form's fonts that an appearance uses without having them itself."""
    if appearance is None or not isinstance(standard, pikepdf.Dictionary):
        return
    resources = appearance.get("/Resources", Dictionary())
    fonts = resources.get("/Font", Dictionary())
    appearance.Resources = Dictionary(
        {**resources.as_dict(), "/Font": Dictionary({**standard.as_dict(), **fonts.as_dict()})}
    )


def shown_appearance(annotation: pikepdf.Object) -> pikepdf.Object | None:
    """Return the normal appearance of an annotation's state, or None."""
    if not has_appearance(annotation):
        return None
    normal: pikepdf.Object = annotation.AP.N
    if isinstance(normal, pikepdf.Stream):
        return normal
    state = str(_state(annotation))
    chosen = normal.get(state if state in normal else OFF)
    return chosen if isinstance(chosen, pikepdf.Stream) else None


def _state(annotation: pikepdf.Object) -> pikepdf.Object | str:
    """Return the state of an annotation: its own, or else the value of its field."""
    holder: pikepdf.Object | None = annotation
    own: pikepdf.Object | None = annotation.get("/AS")
    for _ in range(_MAX_PARENTS):
        if own is not None or not isinstance(holder, pikepdf.Dictionary):
            break
        own, holder = holder.get("/V"), holder.get("/Parent")
    return OFF if own is None else own
