"""AcroForm fields in place of the links that mark the controls of a page."""

from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import msgspec

from chalicelib.engine.browser.output.form_fields import FIELD_URL
from chalicelib.engine.finishing.finisher import PdfFinisher

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext


class PageField(msgspec.Struct, frozen=True):
    """Control of a page, as form_fields.js tells it; `form` is the number of its form, or -1."""

    index: int
    kind: str
    name: str
    form: int
    value: str
    is_on: bool
    options: tuple[tuple[str, str, bool], ...]
    is_list: bool
    is_multiple: bool
    is_password: bool
    is_read_only: bool
    is_required: bool
    max_length: int
    label: str
    size: float
    color: str
    align: str
    family: str
    is_bold: bool
    is_italic: bool


def _add_form_fields(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    # Few documents have fields.
    from chalicelib.engine.finishing.form_writer import FormWriter  # noqa: PLC0415

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
) -> "list[tuple[pikepdf.Page, pikepdf.Object, PageField]]":
    """Return the links that mark controls, one for each; remove all others of them."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    marks: dict[int, tuple[pikepdf.Page, pikepdf.Object, PageField]] = {}
    for page in document.pages:
        kept = []
        for annotation in page.get("/Annots", []):
            field = _field_of(annotation)
            # A second mark is that of the rest of a control, which is broken over two pages.
            if field is None or field.index not in marks:
                kept.append(annotation)
            if field is not None:
                marks.setdefault(field.index, (page, annotation, field))
        if kept or "/Annots" in page:
            page.Annots = pikepdf.Array(kept)
    return list(marks.values())


def _field_of(annotation: "pikepdf.Object") -> PageField | None:
    """Return the field that a link marks, or None for any other annotation."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    action: object = annotation.get("/A")
    url = str(action.get("/URI", "")) if isinstance(action, pikepdf.Dictionary) else ""
    if not url.startswith(FIELD_URL):
        return None
    try:
        return msgspec.json.decode(unquote(url.removeprefix(FIELD_URL)), type=PageField)
    except msgspec.MsgspecError:
        # The document has a link of its own there.
        return None


FORM_FIELDS: Final = PdfFinisher(lambda finishing: finishing.output.pdf.forms, _add_form_fields)
