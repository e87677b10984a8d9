"""Headers and footers that differ between pages: printed separately and overlaid on the pages."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from chalicelib.contract.options.pdf import HeaderFooterPair, PdfOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output.header_footer import HeaderFooterBatch, HeaderFooterPage
from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.finishing.separate_prints import HeaderFooterPrint
from chalicelib.engine.pdf.document.metadata import document_date
from chalicelib.engine.pdf.drawings.page_drawings import PageDrawings
from chalicelib.engine.pdf.drawings.page_overlay import overlay_page
from chalicelib.engine.pdf.pages.keep_pages import keep_pages
from chalicelib.engine.pdf.pages.page_ranges import selected_pages
from chalicelib.engine.pdf.text.chromium_pdf import make_deterministic

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext

_NO_HEADER_FOOTER: Final = HeaderFooterPair(None, None)


def _add_headers_footers(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    pdf = finishing.output.pdf
    selected = selected_pages(pdf.page_ranges, len(document.pages))
    groups = _pages_by_header_footer(pdf, len(document.pages), selected)
    page_url = finishing.recorder.page_url
    batches = [
        _overlay_pages(document, pdf, pair, indexes, page_url) for pair, indexes in groups.items()
    ]
    overlays = finishing.print_separately(HeaderFooterPrint(tuple(batches)))
    created_at = document_date(pdf.metadata)
    for indexes, content in zip(groups.values(), overlays, strict=True):
        _overlay(document, indexes, make_deterministic(content, created_at))
    keep_pages(document, selected)


def _pages_by_header_footer(
    pdf: PdfOptions, count: int, selected: Sequence[int]
) -> Mapping[HeaderFooterPair, Sequence[int]]:
    """Return the indexes of the pages that share each pair.

    Pages without header and footer are left out.
    """
    groups: dict[HeaderFooterPair, list[int]] = {}
    for index in selected:
        first, last = index == 0, index == count - 1
        pair = (
            pdf.single_page
            if first and last
            else pdf.first_page
            if first
            else pdf.last_page
            if last
            else pdf.header_footer
        )
        if pair != _NO_HEADER_FOOTER:
            groups.setdefault(pair, []).append(index)
    return groups


def _overlay_pages(
    document: "pikepdf.Pdf",
    pdf: PdfOptions,
    pair: HeaderFooterPair,
    indexes: Sequence[int],
    url: str,
) -> HeaderFooterBatch:
    def overlay_page(index: int) -> HeaderFooterPage:
        left, bottom, right, top = (float(edge) for edge in document.pages[index].mediabox)
        return HeaderFooterPage(right - left, top - bottom, pdf.page_number_start + index)

    return HeaderFooterBatch(
        pair=pair,
        pages=[overlay_page(index) for index in indexes],
        total=pdf.page_number_start + len(document.pages) - 1,
        title=str(document.docinfo.get("/Title", "")),
        url=url,
    )


def _overlay(document: "pikepdf.Pdf", indexes: Sequence[int], content: bytes) -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    drawings = PageDrawings(document)
    with pikepdf.open(io.BytesIO(content)) as printed:
        if len(printed.pages) != len(indexes):
            message = "a header or footer has styles that change the pages which it is printed on"
            raise RenderFailure("render_failed", message)
        for index, source in zip(indexes, printed.pages, strict=True):
            overlay_page(document, drawings, document.pages[index], printed, source)


HEADERS_FOOTERS: Final = PdfFinisher(
    lambda finishing: finishing.output.pdf.varies_by_page, _add_headers_footers
)
