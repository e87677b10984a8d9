"""Headers and footers as HTML, in the form that Chromium prints them."""

from html import escape
from typing import Final

from chalicelib.engine.options.pdf import MARKS, Bands, HeaderFooter, PdfOptions

# Chromium's own classes. Where a document that came as text stands is our affair alone: of it no
# `url` is shown.
_CLASSES: Final = {"page": "pageNumber", "pages": "totalPages", "title": "title", "date": "date"}
_FILLED_IN: Final = {
    ord(MARKS[name]): f'<span class="{class_}"></span>' for name, class_ in _CLASSES.items()
}
# Chromium's frame around them, as its own page for headers and footers has it.
FRAME_CSS: Final = """
#header, #footer { display: flex; flex: none }
#content { flex: auto }
#header { align-items: flex-start; padding-top: 15pt }
#footer { align-items: flex-end; padding-bottom: 15pt }
.left { flex: none; padding: 0 6pt 0 24pt }
.center { flex: auto; padding: 0 24pt; text-align: center }
.right { flex: none; padding: 0 24pt 0 6pt }
.grow { flex: auto }
.text { font-size: 8pt; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
"""
_FONT_SIZE: Final = "8pt"
# Chromium's own base is a font of one pixel, and backgrounds that are left out.
_BASE: Final = "<style>body{{font:{size} sans-serif{exact}}}{hidden}</style>"
_HIDDEN: Final = ".url{display:none!important}"
_EXACT: Final = ";-webkit-print-color-adjust:exact"
_HEIGHT: Final = "<style>#{side}{{padding:0!important;height:{height:.4f}in!important}}</style>"
_CELL: Final = '<div style="flex:{grow} 1 {basis};min-width:0;text-align:{align}">{text}</div>'


def templates(bands: Bands, options: PdfOptions) -> tuple[str, str]:
    """Return the header's and the footer's HTML; never empty, which would be Chromium's own."""
    return template(bands.header, "header", options), template(bands.footer, "footer", options)


def template(band: HeaderFooter | None, side: str, options: PdfOptions) -> str:
    """Return the HTML of one `side`, `header` or `footer`; never empty."""
    if band is None:
        return "<span></span>"
    exact = _EXACT if options.print_background else ""
    hidden = "" if band.addressed else _HIDDEN
    base = _BASE.format(size=_FONT_SIZE, exact=exact, hidden=hidden)
    if band.height is not None:
        base += _HEIGHT.format(side=side, height=band.height)
    return base + (band.html.translate(_FILLED_IN) if band.html else _texts(band, options))


def _texts(band: HeaderFooter, options: PdfOptions) -> str:
    margin = options.margin
    whole = (
        f"box-sizing:border-box;width:100%;{'height:100%;' if band.height else ''}"
        f"display:flex;align-items:center;gap:1em;font-size:{band.font_size or _FONT_SIZE};"
        f"padding:0 {margin.right:.4f}in 0 {margin.left:.4f}in"
    )
    # With something in the middle the sides are equally wide, without they share the line.
    sides = "0" if band.center else "auto"
    cells = (
        _CELL.format(grow=1, basis=sides, align="left", text=_text(band.left)),
        _CELL.format(grow=0, basis="auto", align="center", text=_text(band.center)),
        _CELL.format(grow=1, basis=sides, align="right", text=_text(band.right)),
    )
    return f'<div style="{whole}">{"".join(cells)}</div>'


def _text(text: str | None) -> str:
    return escape(text or "").translate(_FILLED_IN)
