"""HTML of headers and footers, as Chromium's print templates and as pages of their own.

Headers and footers that vary by page are printed apart and overlaid later: Chromium prints one pair
for all pages.
"""

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from pybase64 import b64decode

from chalicelib.contract.css_values import length_in_inches
from chalicelib.contract.options.pdf import (
    HeaderFooter,
    HeaderFooterPair,
    PdfOptions,
)
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.print_placeholders import PRINT_PLACEHOLDERS

# Placeholder classes of Chromium's templates. Without `url`: the internal origin of an HTML
# document stands in no output (decision 18).
_CLASSES: Final = {"page": "pageNumber", "pages": "totalPages", "title": "title", "date": "date"}
_MARK_HTML: Final = {
    ord(PRINT_PLACEHOLDERS[name]): f'<span class="{class_}"></span>'
    for name, class_ in _CLASSES.items()
}
# Copy of the styles in Chromium's own header and footer page (print_header_footer_template_page).
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
# Chromium's defaults are a font size of one pixel and no backgrounds.
_BASE_CSS: Final = "<style>body{{font:{size} sans-serif{exact}}}</style>"
_EXACT_COLORS_CSS: Final = ";-webkit-print-color-adjust:exact"
_HEIGHT_CSS: Final = "<style>#{side}{{padding:0!important;height:{height:.4f}in!important}}</style>"
_CELL_HTML: Final = '<div style="flex:{grow} 1 {basis};min-width:0;text-align:{align}">{text}</div>'
# Same restrictions as Chromium's own templates: nothing is loaded and no script runs.
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:"
)
_DOCUMENT: Final = (
    '<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">'
    "<style>{css}</style><body></body>"
)


def _important(*rules: str) -> str:
    return "".join(f"{rule} !important;" for rule in rules)


# `!important` against the caller's styles: each section takes exactly one page.
_BODY_CSS: Final = _important(
    *("display: block", "position: static", "float: none", "columns: auto", "contain: none"),
    *("margin: 0", "padding: 0", "border: 0", "width: auto", "height: auto", "min-height: 0"),
)
_PAGE_CSS: Final = _important(
    *("all: revert", "display: flex", "flex-direction: column", "contain: strict"),
    *("break-before: auto", "break-after: page", "break-inside: avoid"),
    *("page: s{kind}", "width: {width}pt", "height: {height}pt"),
)
# Builds one section per page and fills the placeholders by class, as Chromium does.
_FILL_PAGES: Final = PageFunction[None](
    """async ({header, footer, pages, total, title, url, margins, css}) => {
  document.head.style.cssText = 'display: none !important';
  document.documentElement.style.cssText = document.body.style.cssText = css;
  const date = new Intl.DateTimeFormat(
    'en-US', {dateStyle: 'short', timeStyle: 'short'},
  ).format(new Date());
  const parts = [['header', header, margins.top], ['footer', footer, margins.bottom]];
  const model = document.createElement('section');
  for (const [id, html, margin] of parts) {
    const box = document.createElement('div');
    box.id = id;
    box.innerHTML = html;
    box.style.height = `${margin}in`;
    model.append(box);
  }
  const content = document.createElement('div');
  content.id = 'content';
  model.firstChild.after(content);
  document.head.append(...model.querySelectorAll('style'));
  for (const {css, number} of pages) {
    const section = model.cloneNode(true);
    section.style.cssText = css;
    const values = {pageNumber: number, totalPages: total, title, date, url};
    for (const [name, value] of Object.entries(values)) {
      for (const target of section.querySelectorAll(`.${name}`)) target.textContent = value;
    }
    document.body.append(section);
  }
  document.documentElement.getBoundingClientRect();
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
}"""
)
# Extra page height in points, so that rounding never pushes a section to another page.
_SLACK_PT: Final = 1


class HeaderFooterPage(NamedTuple):
    """One page: its size in points and its page number."""

    width_pt: float
    height_pt: float
    number: int


class HeaderFooterBatch(NamedTuple):
    """Pages with the same header and footer; `url` is empty for an HTML document."""

    pair: HeaderFooterPair
    pages: Sequence[HeaderFooterPage]
    total: int
    title: str
    url: str


def templates(pair: HeaderFooterPair, options: PdfOptions) -> tuple[str, str]:
    """Return the HTML of header and footer; never empty, as Chromium would use its defaults."""
    return template(pair.header, "header", options), template(pair.footer, "footer", options)


def template(header_footer: HeaderFooter | None, side: str, options: PdfOptions) -> str:
    """Return the HTML of one `side`, `header` or `footer`; never empty."""
    if header_footer is None:
        return "<span></span>"
    exact = _EXACT_COLORS_CSS if options.print_background else ""
    base = _BASE_CSS.format(size=_FONT_SIZE, exact=exact)
    if header_footer.height is not None:
        base += _HEIGHT_CSS.format(side=side, height=length_in_inches(header_footer.height))
    return base + (
        header_footer.html.translate(_MARK_HTML)
        if header_footer.html
        else _cells_html(header_footer, options)
    )


def print_header_footers(tab: Tab, batch: HeaderFooterBatch, options: PdfOptions) -> bytes:
    """Print headers and footers alone; each page is aligned at its top and slightly taller.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    # One named @page per size (CSS Paged Media 3).
    kinds = {
        size: number
        for number, size in enumerate(
            dict.fromkeys((page.width_pt, page.height_pt) for page in batch.pages)
        )
    }
    sizes = "".join(
        f"@page s{number} {{ size: {width}pt {height + _SLACK_PT}pt !important;"
        " margin: 0 !important }"
        for (width, height), number in kinds.items()
    )
    html = _DOCUMENT.format(policy=escape(_CONTENT_SECURITY_POLICY), css=FRAME_CSS + sizes)
    frame = tab.prepared_page.frame
    tab.outcome(tab.send("Page.setDocumentContent", frameId=frame, html=html))
    filled = tab.outcome(tab.call_function(_FILL_PAGES, _fill_arguments(batch, kinds, options)))
    if "exceptionDetails" in filled:
        raise RenderFailure("render_failed", "header and footer could not be laid out")
    printing = tab.send(
        "Page.printToPDF",
        printBackground=options.print_background,
        preferCSSPageSize=True,
        generateTaggedPDF=False,
    )
    return b64decode(tab.outcome(printing)["data"])


def _cells_html(header_footer: HeaderFooter, options: PdfOptions) -> str:
    margin = options.margin.inches
    row_style = (
        f"box-sizing:border-box;width:100%;{'height:100%;' if header_footer.height else ''}"
        "display:flex;align-items:center;gap:1em;"
        f"font-size:{header_footer.font_size or _FONT_SIZE};"
        f"padding:0 {margin.right:.4f}in 0 {margin.left:.4f}in"
    )
    # With a center cell both sides are equally wide, so that it is centered on the page.
    sides = "0" if header_footer.center else "auto"
    cells = (
        _CELL_HTML.format(grow=1, basis=sides, align="left", text=_text_html(header_footer.left)),
        _CELL_HTML.format(
            grow=0, basis="auto", align="center", text=_text_html(header_footer.center)
        ),
        _CELL_HTML.format(grow=1, basis=sides, align="right", text=_text_html(header_footer.right)),
    )
    return f'<div style="{row_style}">{"".join(cells)}</div>'


def _text_html(text: str | None) -> str:
    return escape(text or "").translate(_MARK_HTML)


def _fill_arguments(
    batch: HeaderFooterBatch, page_kinds: dict[tuple[float, float], int], options: PdfOptions
) -> JsonObject:
    margin = options.margin.inches
    return {
        "header": template(batch.pair.header, "header", options),
        "footer": template(batch.pair.footer, "footer", options),
        "pages": [
            {
                "css": _PAGE_CSS.format(
                    kind=page_kinds[page.width_pt, page.height_pt],
                    width=page.width_pt,
                    height=page.height_pt,
                ),
                "number": page.number,
            }
            for page in batch.pages
        ],
        "total": batch.total,
        "title": batch.title,
        "url": batch.url,
        "css": _BODY_CSS,
        "margins": {"top": margin.top, "bottom": margin.bottom},
    }
