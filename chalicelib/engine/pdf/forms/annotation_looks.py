"""Appearances for annotations that lack one; a warning names those that cannot be drawn."""

from collections.abc import Mapping
from typing import Final

import pikepdf
from pikepdf import Dictionary

from chalicelib.engine.pdf.fonts.bundled_fonts import BundledFonts
from chalicelib.engine.pdf.forms.annotation_drawings import draw_annotation
from chalicelib.engine.pdf.forms.draw_form import finish_fonts
from chalicelib.engine.pdf.forms.field_appearances import has_appearance
from chalicelib.engine.pdf.trees.name_trees import dictionaries
from chalicelib.engine.pdf.warn import Warn

# They show nothing themselves; what a field shows is drawn with its form.
_NOT_DRAWN: Final = frozenset({"/Popup", "/Link", "/Widget"})
# pdfium draws these without an appearance.
_DRAWN_BY_READERS: Final = frozenset({"/Circle", "/Square", "/Ink", "/Text"})
_HIDDEN: Final = 1 << 1 | 1 << 5
_MAX_KINDS: Final = 20
_MAX_CHARACTERS: Final = 40


class AnnotationLooks:
    """Drawing of annotations; `finish` embeds the fonts that it took."""

    def __init__(self, document: pikepdf.Pdf, fonts: Mapping[str, bytes], warn: Warn) -> None:
        """Begin without fonts; `fonts` are the bundled ones by their files' names."""
        self._document, self._warn = document, warn
        self._fonts = BundledFonts(document, fonts)
        self._missing = set[str]()

    def draw(self, annotation: pikepdf.Object) -> pikepdf.Object | None:
        """Return an appearance for an annotation that has none; None where none can be made."""
        kind = str(annotation.get("/Subtype"))
        if kind in _NOT_DRAWN:
            return None
        form = draw_annotation(self._document, annotation, self._fonts)
        if form is None:
            self._missing.add(kind.removeprefix("/")[:_MAX_CHARACTERS])
        return form

    def finish(self) -> None:
        """Embed the fonts, and warn of annotations that were not drawn."""
        finish_fonts(self._fonts, self._warn)
        if self._missing:
            kinds = ", ".join(sorted(self._missing)[:_MAX_KINDS])
            self._warn(
                "feature_unavailable",
                f"Annotations without an appearance were not drawn: {kinds}.",
                "annotations",
            )


def complete_looks(document: pikepdf.Pdf, fonts: Mapping[str, bytes], warn: Warn) -> bool:
    """Give annotations that pdfium would not draw an appearance; tell whether there were any."""
    looks, found = AnnotationLooks(document, fonts, warn), False
    for page in document.pages:
        for annotation in dictionaries(page.obj.get("/Annots")):
            flags: object = annotation.get("/F", 0)
            is_shown = not (isinstance(flags, int) and flags & _HIDDEN)
            if (
                is_shown
                and annotation.get("/Subtype") not in _DRAWN_BY_READERS
                and not has_appearance(annotation)
                and (form := looks.draw(annotation)) is not None
            ):
                annotation.AP, found = Dictionary(N=form), True
    looks.finish()
    return found
