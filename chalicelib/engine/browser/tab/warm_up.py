"""Warm-up documents that a prepared page prints before its real document.

A new renderer process is slow at everything it does for the first time: a web font, an image, a
table, a header and footer. A warm-up with each of them takes a third off the printing of a real
document. It contains no script, so the document that replaces it inherits nothing. The font is a
subset of Arimo (its licence comes with the fonts of the layer).

The first page of a new browser, which callers wait for, prints SELF_TEST instead: one word, which
proves that the browser works.
"""

from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.core.json import JsonObject

_FONT: Final = Path(__file__).with_suffix(".woff2")
_TABLE_ROW: Final = "<tr><td>1,234.56<td>Item, fi &mdash; <b>&Auml;&Ouml;&Uuml;</b>"
_DOCUMENT: Final = """<!doctype html><html lang="en"><head><title></title><style>
@font-face {{ font-family: warm-up; src: url(data:font/woff2;base64,{font}) }}
@page {{ size: A4; margin: 12mm }}
body {{ font: 400 11px/1.4 warm-up, sans-serif; display: flex; flex-direction: column }}
table {{ width: 100%; border-collapse: collapse }}
th, td {{ border-bottom: 1px solid #ccc; padding: 2px; text-align: right }}
tr {{ break-inside: avoid }}
b {{ font-family: sans-serif }}
header {{ display: grid; grid-template-columns: 1fr 1fr; border-radius: 4px; background: #eee }}
</style></head><body><header><svg width="20" height="20" viewBox="0 0 2 2">
<circle cx="1" cy="1" r="1" fill="green"/><path d="M0 0L2 2" stroke="red"/></svg>
<p>Text <b>Bold</b> <a href="https://link.invalid/">link</a></p>
<img src="data:image/svg+xml;base64,{vector}"><img src="data:image/png;base64,{pixel}"></header>
<h1>Heading</h1>
<table><thead><tr><th scope="col">A<th scope="col">B</thead><tbody>{rows}</table></body></html>"""
_SVG: Final = b"""<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">
<path d="M0 0h9v9z" fill="red"/><text y="9">a</text></svg>"""
_PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
_HEADER: Final = '<div style="font-size:8px">x <span class="title"></span></div>'
_FOOTER: Final = (
    '<div style="font-size:8px;width:100%">'
    '<span class="pageNumber"></span> / <span class="totalPages"></span></div>'
)
_PRINT_PARAMETERS: Final[JsonObject] = {
    "displayHeaderFooter": True,
    "headerTemplate": _HEADER,
    "footerTemplate": _FOOTER,
    "generateTaggedPDF": True,
    "preferCSSPageSize": True,
    "printBackground": True,
}


class BrowserUnusableError(Exception):
    """The browser starts but cannot render: a fault of the installation."""


class WarmUp(NamedTuple):
    """HTML of a warm-up and its Page.printToPDF parameters."""

    html: str
    print_parameters: JsonObject


SELF_TEST: Final = WarmUp("<!doctype html><title></title><p>Text", {})


@cache
def full_warm_up() -> WarmUp:
    """Return the warm-up that uses every feature once."""
    font = b64encode(_FONT.read_bytes()).decode()
    vector = b64encode(_SVG).decode()
    html = _DOCUMENT.format(font=font, vector=vector, pixel=_PNG, rows=3 * _TABLE_ROW)
    return WarmUp(html, _PRINT_PARAMETERS)


def check_has_text(pdf_base64: str) -> None:
    """Raise BrowserUnusableError for a PDF without fonts (`pdf_base64`).

    Without usable fonts Chromium prints pages without text and reports no error.
    """
    if b"/Type /Font" not in b64decode(pdf_base64):
        message = "the browser prints no text: the fonts folder or its fonts.conf is unusable"
        raise BrowserUnusableError(message)
