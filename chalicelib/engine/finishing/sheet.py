"""A watermark drawn by the browser itself, on a sheet of paper as large as it is.

So it has the same fonts, shaping and emoji as documents have, in every script, and a picture is
decoded where everything foreign is.
"""

import html
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import Source, Watermark

if TYPE_CHECKING:
    from chalicelib.engine.browser.page import Page

# Of the text on the sheet; what it is on the page is a matter of scale.
FONT_PX: Final = 48
# The title is the only word that gets from the sheet into the PDF.
UNREADABLE: Final = "unreadable"
_MOST_PX: Final = 18_000
_OUTPUT: Final = Output.from_json(
    {"pdf": {"tagged": False, "margin": dict.fromkeys(("top", "right", "bottom", "left"), "0")}}
)
_SHEET: Final = """<!doctype html><html lang="%(language)s"><meta charset=utf-8><style>
html, body { margin: 0 }
#mark { position: absolute; display: block; max-width: %(most)spx; max-height: %(most)spx }
div#mark { padding: .15em; font: bold %(font)spx/1.4 sans-serif; white-space: pre;
  text-align: center; color: %(color)s }
</style>%(mark)s<script>
addEventListener('load', () => {
  const mark = document.getElementById('mark');
  if (mark.naturalWidth === 0) document.title = '%(unreadable)s';
  const {width, height} = mark.getBoundingClientRect();
  const size = [width, height].map((side) => Math.max(Math.ceil(side), 1) + 'px').join(' ');
  document.head.append(Object.assign(document.createElement('style'),
    {textContent: '@page { margin: 0; size: ' + size + ' }'}));
});
</script>"""
_SVG: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def draw_sheet(
    page: "Page", watermark: Watermark, resources: Mapping[Source, bytes], language: str
) -> bytes:
    """Return a PDF of one page with nothing on it but the watermark."""
    mark = _text(watermark) if watermark.image is None else _image(resources[watermark.image])
    facts = {"color": watermark.color, "most": _MOST_PX, "font": FONT_PX, "unreadable": UNREADABLE}
    page.load(_SHEET % {**facts, "mark": mark, "language": html.escape(language)}, _OUTPUT)
    return page.pdf(_OUTPUT.pdf)


def _text(watermark: Watermark) -> str:
    return f"<div id=mark dir=auto>{html.escape(watermark.text or '')}</div>"


def _image(content: bytes) -> str:
    # Of all pictures, browsers tell only this kind by its name and not by its first bytes.
    kind = "svg+xml" if _SVG.match(content) else "png"
    return f'<img id=mark src="data:image/{kind};base64,{b64encode(content).decode()}">'
