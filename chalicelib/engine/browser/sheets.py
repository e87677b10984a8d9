"""Headers and footers printed apart from their document: empty pages of the same sizes."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final, NamedTuple

from pybase64 import b64decode

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.bands import FRAME_CSS, template
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.options.pdf import Bands, PdfOptions

# Nothing of a band is loaded and no script runs, as where Chromium prints it itself.
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:"
)
_DOCUMENT: Final = (
    '<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">'
    "<style>{css}</style><body></body>"
)


def _firmly(*rules: str) -> str:
    return "".join(f"{rule} !important;" for rule in rules)


# Whatever a band's own styles say, each sheet takes one page.
_BODY_CSS: Final = _firmly(
    *("display: block", "position: static", "float: none", "columns: auto", "contain: none"),
    *("margin: 0", "padding: 0", "border: 0", "width: auto", "height: auto", "min-height: 0"),
)
_SHEET_CSS: Final = _firmly(
    *("all: revert", "display: flex", "flex-direction: column", "contain: strict"),
    *("break-before: auto", "break-after: page", "break-inside: avoid"),
    *("page: s{kind}", "width: {width}pt", "height: {height}pt"),
)
# What Chromium does for each page, done for all: the marks are filled in by class.
_FILL: Final = """async ({header, footer, pages, total, title, url, margins, css}) => {
  document.head.style.cssText = 'display: none !important';
  document.documentElement.style.cssText = document.body.style.cssText = css;
  const date = new Intl.DateTimeFormat(
    'en-US', {dateStyle: 'short', timeStyle: 'short'},
  ).format(new Date());
  const bands = [['header', header, margins.top], ['footer', footer, margins.bottom]];
  const model = document.createElement('section');
  for (const [id, html, margin] of bands) {
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
    const sheet = model.cloneNode(true);
    sheet.style.cssText = css;
    const marks = {pageNumber: number, totalPages: total, title, date, url};
    for (const [name, value] of Object.entries(marks)) {
      for (const mark of sheet.querySelectorAll(`.${name}`)) mark.textContent = value;
    }
    document.body.append(sheet);
  }
  document.documentElement.getBoundingClientRect();
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
}"""
# A sheet that is taller than its box by this never runs over to another page.
_SLACK_PT: Final = 1


class Sheet(NamedTuple):
    """One page: its size in points and the number that it bears."""

    width: float
    height: float
    number: int


class Sheets(NamedTuple):
    """Pages that bear the same bands; `url` is the address of a page of the web."""

    bands: Bands
    sheets: Sequence[Sheet]
    total: int
    title: str
    url: str


def print_sheets(tab: Tab, sheets: Sheets, options: PdfOptions) -> bytes:
    """Print the bands alone; each page begins at its top edge and may be a little taller below.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    kinds = {
        size: number
        for number, size in enumerate(
            dict.fromkeys((sheet.width, sheet.height) for sheet in sheets.sheets)
        )
    }
    sizes = "".join(
        f"@page s{number} {{ size: {width}pt {height + _SLACK_PT}pt !important;"
        " margin: 0 !important }"
        for (width, height), number in kinds.items()
    )
    html = _DOCUMENT.format(policy=escape(_POLICY), css=FRAME_CSS + sizes)
    frame = tab.spare.frame
    tab.outcome(tab.send("Page.setDocumentContent", frameId=frame, html=html))
    filled = tab.outcome(tab.call_function(_FILL, _filling(sheets, kinds, options)))
    if "exceptionDetails" in filled:
        raise RenderFailure("render_failed", "header and footer could not be laid out")
    printing = tab.send(
        "Page.printToPDF",
        printBackground=options.print_background,
        preferCSSPageSize=True,
        generateTaggedPDF=False,
    )
    return b64decode(tab.outcome(printing)["data"])


def _filling(
    sheets: Sheets, kinds: dict[tuple[float, float], int], options: PdfOptions
) -> dict[str, Any]:
    return {
        "header": template(sheets.bands.header, "header", options),
        "footer": template(sheets.bands.footer, "footer", options),
        "pages": [
            {
                "css": _SHEET_CSS.format(
                    kind=kinds[sheet.width, sheet.height],
                    width=sheet.width,
                    height=sheet.height,
                ),
                "number": sheet.number,
            }
            for sheet in sheets.sheets
        ],
        "total": sheets.total,
        "title": sheets.title,
        "url": sheets.url,
        "css": _BODY_CSS,
        "margins": {"top": options.margin.top, "bottom": options.margin.bottom},
    }
