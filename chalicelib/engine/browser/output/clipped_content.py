"""Content wider than the printed page: the browser cuts it at the right.

To print wide content, the browser makes everything smaller, down to two thirds, and cuts wider
content. So a document that is printed at this smallest scale is looked at, and hardly any other:
the scale stands at the beginning of its first page. The browser makes no content smaller that runs
out at the left, as in a document from right to left.
"""

import re
import zlib
from functools import cache
from itertools import islice
from math import isclose
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

MAX_CLIPPED: Final = 20
MAX_MEASURED_ELEMENTS: Final = 50_000
# Chromium's limit for making content smaller so that it fits.
_MAX_SHRINK: Final = 1.5
# Chromium draws with 300 units an inch, CSS has 96 pixels.
_UNITS_PER_PIXEL: Final = 300 / 96
_UNITS_PER_POINT: Final = 300 / 72
_MM_PER_UNIT: Final = 25.4 / 300
_TIMEOUT_S: Final = 2.0
# The first pages may be empty.
_MAX_PAGES: Final = 3
_MAX_PAGE_BYTES: Final = 16_384
# Chromium writes .24 for 0.24. Texts of the document may look alike, with any number.
_NUMBER: Final = rb"(?:[0-9]{1,9}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})"
_CONTENTS: Final = re.compile(
    rb"/MediaBox \[0 0 (%s) %s\]\n(?:/Annots \[[0-9R ]*+\]\n)?/Contents ([0-9]+) 0 R"
    % (_NUMBER, _NUMBER)
)
# A clip, of the page or of a box in it: its left edge and its width.
_CLIP: Final = re.compile(rb"q\n(-?%s) -?%s (%s) %s re\nW\*? n\n" % ((_NUMBER,) * 4))
# Scale and left margin.
_SCALE: Final = re.compile(rb"q\n(%s) 0 0 \1 (-?%s) -?%s cm" % ((_NUMBER,) * 3))


class PrintedPage(NamedTuple):
    """Width of a printed page in CSS pixels of its content, and the millimetres of one."""

    width: float
    mm_per_pixel: float


def page_that_may_clip(content: bytes, scale: float, *, is_rtl: bool) -> PrintedPage | None:
    """Return the page of a document whose content may be cut; None if it is not.

    `content` is a PDF as Chromium writes it, `scale` the scale of the print.
    """
    full = _UNITS_PER_PIXEL * scale
    for match in islice(_CONTENTS.finditer(content), _MAX_PAGES):
        stream = _beginning_of_stream(content, match[2])
        clips = [(float(x), float(width)) for x, width in _CLIP.findall(stream)]
        if clips:
            paper = float(match[1]) * _UNITS_PER_POINT
            return _page_that_may_clip(stream, clips, paper, full, is_rtl=is_rtl)
    return None


def _page_that_may_clip(
    stream: bytes, clips: list[tuple[float, float]], paper: float, full: float, *, is_rtl: bool
) -> PrintedPage | None:
    smallest = full / _MAX_SHRINK
    # Groups and pictures have scales of their own; a page of them alone does not tell its scale.
    lefts = {
        units: float(left)
        for each, left in _SCALE.findall(stream)
        if smallest * 0.999 < (units := float(each)) < full * 1.001
    }
    shrunk = [units for units in lefts if isclose(units, smallest, rel_tol=1e-4)]
    if lefts and not shrunk and not is_rtl:
        return None
    units = full if is_rtl and not shrunk else smallest
    left = lefts[shrunk[0]] if shrunk else min(x for x, _ in clips)
    # A clip that begins at the margin is the page's. Without one both margins are the same.
    widths = [width for x, width in clips if isclose(x, left, abs_tol=1)]
    width = max(widths, default=paper - 2 * left) / units
    return PrintedPage(width, _MM_PER_UNIT * units)


def clipped_content_warnings(tab: Tab, page: PrintedPage) -> list[RenderWarning]:
    """Return a warning for each element that is cut, at most 20.

    The media type is that of print already. The window is left changed.
    """
    size = {"width": round(page.width), "height": round(page.width)}
    tab.send("Emulation.setDeviceMetricsOverride", deviceScaleFactor=1, mobile=False, **size)
    called = tab.call_function(_script(), page.width, MAX_MEASURED_ELEMENTS, MAX_CLIPPED)
    try:
        answer = tab.wait_for(called, tab.deadline.within(_TIMEOUT_S))
    except (CallRefusedError, TimeoutError):
        # The document is printed already; a missing warning must not fail it.
        return []
    return [
        RenderWarning("content_clipped", _message(place, pixels * page.mm_per_pixel), place)
        for place, pixels in answer["result"].get("value") or ()
    ]


def _message(place: str, millimetres: float) -> str:
    return (
        f"{place} reaches {millimetres:.1f} mm past the edge of the page's content and is cut off "
        "there. Make it narrower, or the page wider."
    )


def _beginning_of_stream(content: bytes, number: bytes) -> bytes:
    start = content.find(b"\n" + number + b" 0 obj\n")
    start = content.find(b"stream\n", start) + len(b"stream\n")
    try:
        stream = content[start : start + _MAX_PAGE_BYTES]
        return zlib.decompressobj().decompress(stream, _MAX_PAGE_BYTES)
    except zlib.error:
        return b""


@cache
def _script() -> PageFunction[list[tuple[str, float]]]:
    return PageFunction(Path(__file__).with_name("clipped_content.js").read_text())
