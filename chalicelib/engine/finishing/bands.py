"""Headers and footers that are not alike on all pages: printed apart and put on the pages."""

import io
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.sheets import Sheet, Sheets
from chalicelib.engine.finishing.dates import moment_of
from chalicelib.engine.finishing.finisher import Finisher
from chalicelib.engine.finishing.layers import Layers
from chalicelib.engine.finishing.pages import chosen, keep
from chalicelib.engine.finishing.printed import repeatable
from chalicelib.engine.options.pdf import Bands, PdfOptions

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.browser.page import Page
    from chalicelib.engine.formats.format import Finishing
    from chalicelib.engine.options.output import Output

_NOTHING: Final = Bands(None, None)


def _stamp(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    pdf = finishing.output.pdf
    shown = chosen(pdf.page_ranges, len(document.pages))
    groups = _groups(pdf, len(document.pages), shown)
    address = finishing.course.address
    sheets = [_sheets(document, pdf, bands, indexes, address) for bands, indexes in groups.items()]
    # By name: it may be called for by another process (apart.py).
    printed = finishing.fresh_page(partial(_printed, sheets=sheets, output=finishing.output))
    moment = moment_of(pdf.metadata)
    for indexes, content in zip(groups.values(), printed, strict=True):
        _put_on(document, indexes, repeatable(content, moment))
    keep(document, shown)


def _printed(page: "Page", sheets: Sequence[Sheets], output: "Output") -> list[bytes]:
    return [page.sheets(each, output) for each in sheets]


def _groups(pdf: PdfOptions, count: int, shown: Sequence[int]) -> Mapping[Bands, Sequence[int]]:
    """Return which pages, counted from 0, have the same bands; those without any are left out."""
    groups: dict[Bands, list[int]] = {}
    for index in shown:
        first, last = index == 0, index == count - 1
        kind = (
            pdf.only if first and last else pdf.first if first else pdf.last if last else pdf.bands
        )
        if kind != _NOTHING:
            groups.setdefault(kind, []).append(index)
    return groups


def _sheets(
    document: "pikepdf.Pdf", pdf: PdfOptions, bands: Bands, indexes: Sequence[int], address: str
) -> Sheets:
    def sheet(index: int) -> Sheet:
        left, bottom, right, top = (float(edge) for edge in document.pages[index].mediabox)
        return Sheet(right - left, top - bottom, pdf.page_number_start + index)

    return Sheets(
        bands=bands,
        sheets=[sheet(index) for index in indexes],
        total=pdf.page_number_start + len(document.pages) - 1,
        title=str(document.docinfo.get("/Title", "")),
        url=address,
    )


def _put_on(document: "pikepdf.Pdf", indexes: Sequence[int], content: bytes) -> None:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    layers = Layers(document)
    with pikepdf.open(io.BytesIO(content)) as printed:
        if len(printed.pages) != len(indexes):
            message = "a header or footer has styles that change the pages which it is printed on"
            raise RenderFailure("render_failed", message)
        for index, source in zip(indexes, printed.pages, strict=True):
            page = document.pages[index]
            # Both begin at the top edge; the sheet may be a little taller.
            lift = float(page.mediabox[3]) - float(source.mediabox[3])
            form = document.copy_foreign(source.as_form_xobject())
            name = page.add_resource(form, pikepdf.Name.XObject, name=pikepdf.Name.PlatenBands)
            operators = f"1 0 0 1 {page.mediabox[0]} {lift:.4f} cm {name} Do".encode()
            layers.over(page, layers.drawing(operators, "Header"))
            links = [link for link in source.get("/Annots", []) if "/A" in link]
            for link in links:
                _add_link(page, document.copy_foreign(printed.make_indirect(link)), lift)


def _add_link(page: "pikepdf.Page", link: "pikepdf.Object", lift: float) -> None:
    import pikepdf  # noqa: PLC0415 -- as above

    left, bottom, right, top = (float(edge) for edge in link.Rect)
    link.Rect = pikepdf.Array([left, bottom + lift, right, top + lift])
    if "/Annots" not in page:
        page.Annots = pikepdf.Array()
    page.Annots.append(link)


BANDS: Final = Finisher(lambda finishing: finishing.output.pdf.stamped, _stamp)
