"""Sheets of another document, laid over pages with their links to the web."""

from typing import TYPE_CHECKING

from chalicelib.engine.pdf.drawings.page_drawings import PageDrawings

if TYPE_CHECKING:
    import pikepdf


def overlay_page(
    document: "pikepdf.Pdf",
    drawings: PageDrawings,
    page: "pikepdf.Page",
    printed: "pikepdf.Pdf",
    sheet: "pikepdf.Page",
    form: "pikepdf.Object | None" = None,
) -> None:
    """Draw a `sheet` of a `printed` document over a page, with its links to the web.

    `form` is the form XObject that an earlier page made of the same sheet. The top edges coincide:
    a sheet may be a little taller than the page.
    """
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    lift = float(page.mediabox[3]) - float(sheet.mediabox[3])
    # Two overlays of a page have a name each.
    name = pikepdf.Name.PlatenBands if form is None else pikepdf.Name.PlatenRunning
    form = document.copy_foreign(sheet.as_form_xobject()) if form is None else form
    name = page.add_resource(form, pikepdf.Name.XObject, name=name)
    operators = f"1 0 0 1 {page.mediabox[0]} {lift:.4f} cm {name} Do".encode()
    drawings.draw_over(page, drawings.drawing(operators, "Header"))
    for link in sheet.get("/Annots", []):
        if "/A" in link:
            _add_link(page, document.copy_foreign(printed.make_indirect(link)), lift)


def _add_link(page: "pikepdf.Page", link: "pikepdf.Object", lift: float) -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    left, bottom, right, top = (float(edge) for edge in link.Rect)
    link.Rect = pikepdf.Array([left, bottom + lift, right, top + lift])
    if "/Annots" not in page:
        page.Annots = pikepdf.Array()
    page.Annots.append(link)
