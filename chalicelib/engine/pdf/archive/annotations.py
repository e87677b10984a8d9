"""Annotations and form fields as PDF/A has them (ISO 19005-2, 6.3 and 6.4)."""

from collections.abc import Iterator, Mapping
from typing import Final

import pikepdf

from chalicelib.engine.pdf.document.walk_objects import walk_dictionaries
from chalicelib.engine.pdf.forms.annotation_looks import AnnotationLooks
from chalicelib.engine.pdf.forms.draw_form import draw_form
from chalicelib.engine.pdf.warn import Warn

# 6.3.1: media, and types that ISO 32000-1 does not know.
_ALLOWED_TYPES: Final = frozenset(
    {
        *("/Text", "/Link", "/FreeText", "/Line", "/Square", "/Circle", "/Polygon", "/PolyLine"),
        *("/Highlight", "/Underline", "/Squiggly", "/StrikeOut", "/Stamp", "/Caret", "/Ink"),
        *("/Popup", "/FileAttachment", "/Widget", "/PrinterMark", "/TrapNet", "/Watermark"),
        "/Redact",
    }
)
_WITHOUT_APPEARANCE: Final = ("/Popup", "/Link")
# Annotation flags (ISO 32000-1, 12.5.3).
_INVISIBLE: Final = 1
_HIDDEN: Final = 1 << 1
_PRINT: Final = 1 << 2
_NO_ZOOM: Final = 1 << 3
_NO_ROTATE: Final = 1 << 4
_NO_VIEW: Final = 1 << 5
_TOGGLE_NO_VIEW: Final = 1 << 8
_FORBIDDEN: Final = _INVISIBLE | _HIDDEN | _NO_VIEW | _TOGGLE_NO_VIEW
_MAX_PARENTS: Final = 50
_FORM_KEYS: Final = ("/NeedAppearances", "/XFA", "/SigFlags")


def convert_annotations(document: pikepdf.Pdf, fonts: Mapping[str, bytes], warn: Warn) -> list[str]:
    """Change all annotations; return the types of the removed ones."""
    draw_form(document, fonts, warn)
    looks = AnnotationLooks(document, fonts, warn)
    left: list[str] = []
    for page in document.pages:
        annotations = page.obj.get("/Annots")
        if isinstance(annotations, pikepdf.Array):
            kept = list(_kept_annotations(document, annotations, left, looks))
            page.obj.Annots = pikepdf.Array(kept)
    looks.finish()
    form = document.Root.get("/AcroForm")
    if isinstance(form, pikepdf.Dictionary):
        _clean_form(document, form)
    return left


def _kept_annotations(
    document: pikepdf.Pdf, annotations: pikepdf.Array, left: list[str], looks: AnnotationLooks
) -> Iterator[pikepdf.Object]:
    for annotation in annotations:
        if not isinstance(annotation, pikepdf.Dictionary):
            continue
        kind = str(annotation.get("/Subtype"))
        if kind == "/FileAttachment" and "/EF" not in annotation.get("/FS", {}):
            # Its file has left.
            continue
        if kind in _ALLOWED_TYPES:
            _convert(document, annotation, kind, looks)
            yield annotation
        else:
            left.append(kind.removeprefix("/"))


def _convert(
    document: pikepdf.Pdf, annotation: pikepdf.Object, kind: str, looks: AnnotationLooks
) -> None:
    flags = int(annotation.get("/F", 0))
    if kind != "/Popup":
        if flags & (_HIDDEN | _NO_VIEW):
            _make_empty(annotation)
        extra = _NO_ZOOM | _NO_ROTATE if kind == "/Text" else 0
        annotation.F = flags & ~_FORBIDDEN | _PRINT | extra
    appearance = annotation.get("/AP")
    if isinstance(appearance, pikepdf.Dictionary) and "/N" in appearance:
        annotation.AP = pikepdf.Dictionary(N=_normal_appearance(annotation, appearance.N))
    elif kind not in _WITHOUT_APPEARANCE and not _is_empty(annotation):
        drawn = looks.draw(annotation)
        annotation.AP = pikepdf.Dictionary(N=drawn or _blank_appearance(document, annotation))


def _make_empty(annotation: pikepdf.Object) -> None:
    """Take away the extent of hidden annotations, as no flag may hide them (6.3.2, 6.3.3)."""
    left, bottom = (annotation.Rect[index] for index in (0, 1))
    annotation.Rect = pikepdf.Array([left, bottom, left, bottom])
    if "/AP" in annotation:
        del annotation["/AP"]


def _is_empty(annotation: pikepdf.Object) -> bool:
    left, bottom, right, top = (float(each) for each in annotation.Rect)
    return left == right and bottom == top


def _normal_appearance(annotation: pikepdf.Object, normal: pikepdf.Object) -> pikepdf.Object:
    """Return the appearance: by states for buttons, else one stream (6.3.3)."""
    if _field_type(annotation) == "/Btn":
        if isinstance(normal, pikepdf.Stream):
            return pikepdf.Dictionary({str(annotation.get("/AS", "/Off")): normal})
        return normal
    if isinstance(normal, pikepdf.Stream):
        return normal
    states = normal
    state = str(annotation.get("/AS", ""))
    return states[state] if state in states else next(iter(states.values()))


def _field_type(annotation: pikepdf.Object) -> str | None:
    """Return the type of the field that an annotation shows; None for another annotation."""
    if annotation.get("/Subtype") != "/Widget":
        return None
    field = annotation
    for _ in range(_MAX_PARENTS):
        if "/FT" in field:
            return str(field.FT)
        parent = field.get("/Parent")
        if not isinstance(parent, pikepdf.Dictionary):
            break
        field = parent
    return None


def _blank_appearance(document: pikepdf.Pdf, annotation: pikepdf.Object) -> pikepdf.Object:
    left, bottom, right, top = (float(each) for each in annotation.Rect)
    width, height = abs(right - left), abs(top - bottom)
    blank = document.make_stream(
        b"",
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Form,
        BBox=pikepdf.Array([0, 0, round(width, 3), round(height, 3)]),
        Resources=pikepdf.Dictionary(),
    )
    if _field_type(annotation) != "/Btn":
        return blank
    annotation.AS = pikepdf.Name.Off
    return pikepdf.Dictionary(Off=blank)


def _clean_form(document: pikepdf.Pdf, form: pikepdf.Object) -> None:
    """Remove XFA and signatures, which do not hold for a changed document (6.4.2, 6.4.3)."""
    for key in _FORM_KEYS:
        if key in form:
            del form[key]
    for field in walk_dictionaries(document):
        if field.get("/FT") == "/Sig" and "/V" in field:
            del field["/V"]
