"""Digital signatures, which hold for the file that was signed alone."""

from typing import Final

import pikepdf

from chalicelib.engine.pdf.forms.form_fields import FormField, form_fields
from chalicelib.engine.pdf.warn import Warn

_SIGNATURES_EXIST: Final = 1


def warn_of_signatures(document: pikepdf.Pdf, warn: Warn) -> None:
    """Warn that the digital signatures of a document do not hold for the changed one."""
    form = document.Root.get("/AcroForm")
    if not isinstance(form, pikepdf.Dictionary):
        return
    flags = form.get("/SigFlags", 0)
    is_flagged = isinstance(flags, int) and flags & _SIGNATURES_EXIST
    if is_flagged or any(_is_signed(field) for field in form_fields(form).values()):
        warn(
            "feature_unavailable",
            "The document was signed digitally; its signatures do not hold for the changed file.",
            "signature",
        )


def _is_signed(field: FormField) -> bool:
    return field.type == "/Sig" and "/V" in field.dictionary
