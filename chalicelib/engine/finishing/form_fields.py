"""AcroForm fields in place of the links that mark the controls of a page."""

from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import msgspec

from chalicelib.engine.browser.output.form_fields import FIELD_URL, MAX_FORM_FIELDS
from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.pdf.forms.form_control import FormControl
from chalicelib.engine.pdf.tagging.structure_tree import as_list, element_of

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext

_PLACE_KEYS: Final = frozenset({"/Type", "/Subtype", "/Rect"})


def _add_form_fields(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    # Few documents have fields.
    from chalicelib.engine.pdf.forms.form_writer import FormWriter  # noqa: PLC0415

    marks = _take_marks(document)
    if not marks:
        return
    assert finishing.fonts_dir is not None, "a page was drawn with them"
    writer = FormWriter(document, finishing.fonts_dir)
    for page, mark, field in marks:
        writer.add(page, mark, field)
    writer.finish()


def _take_marks(
    document: "pikepdf.Pdf",
) -> "list[tuple[pikepdf.Page, pikepdf.Object, FormControl]]":
    """Return the links that mark controls, one for each; remove all others of them."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    marks: dict[int, tuple[pikepdf.Page, pikepdf.Object, FormControl]] = {}
    for page in document.pages:
        kept = []
        for annotation in page.get("/Annots", []):
            url = _url_of(annotation)
            field = _field_of(url)
            # A second mark is that of the rest of a control, which is broken over two pages.
            if field is not None and field.index not in marks:
                marks[field.index] = page, annotation, field
            elif url.startswith(FIELD_URL):
                _remove_link(document, annotation)
                continue
            kept.append(annotation)
        if kept or "/Annots" in page:
            page.Annots = pikepdf.Array(kept)
    return list(marks.values())


def _url_of(annotation: "pikepdf.Object") -> str:
    """Return the URL to which a link leads, or an empty text for any other annotation."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    action: object = annotation.get("/A")
    return str(action.get("/URI", "")) if isinstance(action, pikepdf.Dictionary) else ""


def _field_of(url: str) -> FormControl | None:
    """Return the field of a URL, or None if it tells no control."""
    if not url.startswith(FIELD_URL):
        return None
    try:
        control = msgspec.json.decode(unquote(url.removeprefix(FIELD_URL)), type=FormControl)
    except msgspec.MsgspecError:
        return None
    return control if control.index < MAX_FORM_FIELDS else None


def _remove_link(document: "pikepdf.Pdf", link: "pikepdf.Object") -> None:
    """Take a link out of the structure, and its address out of the file: it tells a value."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    element = element_of(document, link)
    if element is not None:
        kids = as_list(element.get("/K"))
        element.K = pikepdf.Array(
            [
                kid
                for kid in kids
                if isinstance(kid, int) or "/Obj" not in kid or kid.Obj.objgen != link.objgen
            ]
        )
        del pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)[int(link.StructParent)]
    for name in [str(name) for name in link]:
        if name not in _PLACE_KEYS:
            del link[name]


FORM_FIELDS: Final = PdfFinisher(lambda finishing: finishing.output.pdf.forms, _add_form_fields)
