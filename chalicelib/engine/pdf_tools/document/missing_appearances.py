"""Appearances for annotations and fields that have none: those that pdfium draws them with."""

import io
from collections.abc import Sequence
from typing import Final

import pikepdf
import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from chalicelib.engine.pdf_tools.document.write_pdf import save

# Links show their border only, and popups the text of another annotation.
_WITHOUT_APPEARANCE: Final = ("/Popup", "/Link")
_TEXTS: Final = ("/Tx", "/Ch")
_MAX_FIELD_DEPTH: Final = 50
_HIDDEN: Final = 1 << 1
# A page is drawn for its effect, so as small as possible.
_SIDE: Final = 1


def add_missing_appearances(document: pikepdf.Pdf) -> None:
    """Give each annotation and field without an appearance one, if pdfium can draw it."""
    _forget_old_appearances(document)
    pages = [
        index for index, page in enumerate(document.pages) if any(map(_lacks_one, _list(page)))
    ]
    if not pages:
        return
    drawn = _draw(save(document), pages)
    if drawn is None:
        return
    with pikepdf.open(io.BytesIO(drawn)) as copy:
        for index in pages:
            pairs = zip(_list(document.pages[index]), _list(copy.pages[index]), strict=False)
            for annotation, drawn_one in pairs:
                if _lacks_one(annotation) and "/N" in drawn_one.get("/AP", {}):
                    appearance = copy.make_indirect(drawn_one.AP)
                    annotation.AP = document.copy_foreign(appearance)
                    # Of a note, pdfium makes the extent that of its symbol.
                    annotation.Rect = pikepdf.Array([float(edge) for edge in drawn_one.Rect])


def _forget_old_appearances(document: pikepdf.Pdf) -> None:
    """Remove appearances of texts and choices where the form says that they are out of date."""
    form = document.Root.get("/AcroForm")
    if not isinstance(form, pikepdf.Dictionary) or not form.get("/NeedAppearances"):
        return
    for page in document.pages:
        for annotation in _list(page):
            if field_type(annotation) in _TEXTS and "/AP" in annotation:
                del annotation["/AP"]


def field_type(annotation: pikepdf.Object) -> str | None:
    """Return the type of the field that an annotation shows; None for another annotation."""
    if annotation.get("/Subtype") != "/Widget":
        return None
    field = annotation
    for _ in range(_MAX_FIELD_DEPTH):
        if "/FT" in field:
            return str(field.FT)
        parent = field.get("/Parent")
        if not isinstance(parent, pikepdf.Dictionary):
            break
        field = parent
    return None


def _list(page: pikepdf.Page) -> list[pikepdf.Object]:
    annotations = page.obj.get("/Annots")
    entries = list(annotations) if isinstance(annotations, pikepdf.Array) else []
    return [each for each in entries if isinstance(each, pikepdf.Dictionary)]


def _lacks_one(annotation: pikepdf.Object) -> bool:
    return (
        annotation.get("/Subtype") not in _WITHOUT_APPEARANCE
        and not int(annotation.get("/F", 0)) & _HIDDEN
        and "/N" not in annotation.get("/AP", {})
    )


def _draw(content: bytes, pages: Sequence[int]) -> bytes | None:
    """Return the document with the appearances that pdfium makes when it draws the pages."""
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError:
        return None
    try:
        document.init_forms()
        for index in pages:
            _draw_page(document, index)
        result = io.BytesIO()
        document.save(result)
    finally:
        document.close()
    return result.getvalue()


def _draw_page(document: pypdfium2.PdfDocument, index: int) -> None:
    page = document[index]
    bitmap = pypdfium2.PdfBitmap.new_native(_SIDE, _SIDE, pdfium.FPDFBitmap_BGR)
    arguments = (bitmap, page, 0, 0, _SIDE, _SIDE, 0, pdfium.FPDF_ANNOT)
    pdfium.FPDF_RenderPageBitmap(*arguments)
    if document.formenv is not None:
        pdfium.FPDF_FFLDraw(document.formenv, *arguments)
    page.close()
