"""XFA forms (ISO 32000-1, 12.7.8): a second description of a form, of all its pages."""

from pikepdf import Dictionary, Pdf

from chalicelib.engine.pdf.warn import Warn


def remove_xfa(document: Pdf, warn: Warn) -> None:
    """Remove the XFA form, which no change of pages reaches; its PDF fields stay."""
    form = document.Root.get("/AcroForm")
    if not isinstance(form, Dictionary) or "/XFA" not in form:
        return
    del form.XFA
    if "/NeedsRendering" in document.Root:
        del document.Root.NeedsRendering
    warn(
        "feature_unavailable",
        "The document has an XFA form, which was removed; its PDF form fields stay.",
        "xfa",
    )
