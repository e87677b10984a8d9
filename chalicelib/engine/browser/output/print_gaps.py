"""Print gaps: differences between paper and document that the document does not show.

A document is looked at only where its text may have such a thing, after all drawings.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.output.page_fit import content_pixels
from chalicelib.engine.browser.output.page_style import PageStyle
from chalicelib.engine.browser.tab.animations import wait_in_slices
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.pdf.page_boxes import PdfRectangle
from chalicelib.engine.pdf.text.chromium_pdf import page_contents, page_count
from chalicelib.engine.pdf.text.cross_reference_table import cross_reference_table
from chalicelib.engine.pdf.text.painted_boxes import Painted, contains, painted_boxes

MAX_GAPS: Final = 20
MAX_ELEMENTS: Final = 20_000
_TIMEOUT_S: Final = 2.0
_MM_PER_PIXEL: Final = 25.4 / 96
_POINTS_PER_PIXEL: Final = 0.75
type _Kind = Literal["head", "fixed", "dropped"]
type _Gap = tuple[_Kind, str, float | str, float]
# Fixed boxes are looked for on so many pages; smaller ones are lines.
_MAX_PAGES: Final = 4
_MAX_CONTENT_BYTES: Final = 1_000_000
_MAX_BOXES: Final = 20
_MAX_TEXTS: Final = 10_000
_MIN_BOX_POINTS: Final = 8
_VISIBLE: Final = 0.5
_DROPPED: Final = MarkupSearch("backdrop-filter", "mix-blend-mode")
_FIXED: Final = MarkupSearch(r"fixed(?<!table-layout:fixed)(?<!table-layout: fixed)")
_HEAD: Final = re.compile(r"<thead", re.IGNORECASE)
_HEAD_END: Final = re.compile(r"</thead|<tbody", re.IGNORECASE)
_MAX_HEAD_CHARS: Final = 4_000
_MAX_HEAD_ROWS: Final = 3
# What may make the head of a table higher than a line or two.
_TALL_HEAD: Final = re.compile(r"<img|<svg|<br|style\s*=", re.IGNORECASE)
_TALL_STYLE: Final = MarkupSearch(
    *(f"{name}[^;}}]{{0,40}}[0-9]{{3}}" for name in ("height", "padding", "margin")),
    r"font[^;}]{0,40}(?:[6-9][0-9]|[0-9]{3})p",
    "writing-mode",
    r"rotate\(",
)
_LINKED_STYLES: Final = ("stylesheet", "@import")
_ENDLESS: Final = 1_000_000_000
_MAX_HEADS: Final = 20
_MAX_LOW_HEAD_CHARS: Final = 600
_MEDIA_BOX: Final = re.compile(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]")
_OPACITY: Final = re.compile(rb"\n([0-9]{1,9}) 0 obj\n<<[^<>]{0,200}/ca ([0-9.]{1,20})")


class PrintedPages(NamedTuple):
    """Printed document: the size of its pages' content in CSS pixels, and covering fixed boxes.

    A document of one page has no end.
    """

    width: int
    height: int
    covers: Sequence[tuple[int, PdfRectangle]]


def possible_gaps(html: str, *, has_scripts: bool) -> Collection[_Kind]:
    """Return the gaps that a document's text may have."""
    text = html.lower()
    has_other_styles = has_scripts or any(word in text for word in _LINKED_STYLES)
    kinds: set[_Kind] = set()
    if has_other_styles or _FIXED.finds(text):
        kinds.add("fixed")
    if _DROPPED.finds(text):
        kinds.add("dropped")
    heads = list(islice(_heads(html), _MAX_HEADS))
    if heads and (has_other_styles or _TALL_STYLE.finds(text) or any(map(_may_be_tall, heads))):
        kinds.add("head")
    return kinds


def _heads(html: str) -> Iterator[str]:
    for begin in _HEAD.finditer(html):
        limit = begin.end() + _MAX_HEAD_CHARS
        end = _HEAD_END.search(html, begin.end(), limit)
        yield html[begin.end() : limit if end is None else end.start()]


def _may_be_tall(head: str) -> bool:
    return (
        len(head) > _MAX_LOW_HEAD_CHARS
        or head.lower().count("<tr") > _MAX_HEAD_ROWS
        or _TALL_HEAD.search(head) is not None
    )


# Of documents whose text is not known: what is found in the print alone.
PRINTED_GAPS: Final[Collection[_Kind]] = frozenset(("fixed",))


def orientation_warnings(content: bytes, options: PdfOptions) -> list[RenderWarning]:
    """Return a warning where the document's own page size overrules `landscape`."""
    if not options.landscape or options.is_continuous or not options.prefer_css_page_size:
        return []
    box = _MEDIA_BOX.search(content)
    if box is None or float(box[1]) >= float(box[2]):
        return []
    width, height = options.paper_size
    if width > height:
        # Turned, such a page is upright.
        return []
    message = (
        "output.pdf.landscape was ignored: the document's own @page size wins. Take its size out, "
        "or send prefer_css_page_size false."
    )
    return [RenderWarning("feature_unavailable", message, "output.pdf.landscape")]


def printed_pages(
    content: bytes, options: PdfOptions, style: PageStyle, kinds: Collection[_Kind]
) -> PrintedPages | None:
    """Return the pages to look at in a document that the browser has printed, if any."""
    has_pages = page_count(content, cross_reference_table(content)) > 1
    covers = list(_covers(content)) if has_pages and "fixed" in kinds else []
    if not ("dropped" in kinds or covers or (has_pages and "head" in kinds)):
        return None
    width, height = content_pixels(options, style)
    return PrintedPages(width, height if has_pages else _ENDLESS, covers)


def gap_warnings(tab: Tab, pages: PrintedPages) -> list[RenderWarning]:
    """Return the warnings of a document, at most 20 of each kind.

    The media type is that of print already. The window is left changed.
    """
    size = {"width": pages.width, "height": min(pages.height, pages.width)}
    tab.send("Emulation.setDeviceMetricsOverride", deviceScaleFactor=1, mobile=False, **size)
    called = tab.call_function(_script(), pages.height, MAX_ELEMENTS, MAX_GAPS)
    try:
        answer = wait_in_slices(tab, called, tab.deadline.within(_TIMEOUT_S))
    except (CallRefusedError, TimeoutError):
        # The document is printed already; a missing warning must not fail it.
        return []
    gaps = answer["result"].get("value") or []
    warnings = [_gap_warning(*gap) for gap in gaps if gap[0] != "fixed"]
    fixed = [gap for gap in gaps if gap[0] == "fixed"]
    return warnings + list(dict.fromkeys(_cover_warning(*cover, fixed) for cover in pages.covers))


def _gap_warning(kind: _Kind, place: str, size: float | str, height: float) -> RenderWarning:
    if kind == "dropped":
        message = f"{place} has {size}, which the browser leaves out of a PDF"
    else:
        message = (
            f"{place} is {height * _MM_PER_PIXEL:.0f} mm tall: the head or foot of a table is "
            "repeated on its pages only up to a quarter of their height. Make it lower."
        )
    return RenderWarning("feature_unavailable", message, place)


def _cover_warning(page: int, box: PdfRectangle, fixed: Sequence[_Gap]) -> RenderWarning:
    def distance(gap: _Gap) -> float:
        width, height = (float(side) * _POINTS_PER_PIXEL for side in gap[2:])
        return abs(width - box.width) + abs(height - box.height)

    place = min(fixed, key=distance)[1] if fixed else "position: fixed"
    message = (
        f"{place} stands at the same place of each page, and covers text of page {page}. Give the "
        "pages a margin for it, or send it as output.pdf.header or footer."
    )
    return RenderWarning("content_clipped", message, place)


def _covers(content: bytes) -> Iterator[tuple[int, PdfRectangle]]:
    """Yield the first page and the box of each fixed box that is painted over text.

    A fixed box is painted on all pages at the same place.
    """
    pages = list(islice(page_contents(content, _MAX_CONTENT_BYTES), _MAX_PAGES))
    if len(pages) <= 1:
        return
    # A graphics state has the number of its object: /G3.
    opacities = {f"/G{number.decode()}": float(each) for number, each in _OPACITY.findall(content)}
    boxes = (each for each in painted_boxes(pages[0]) if _is_covering(opacities, each))
    first = {_place(each) for each in islice(boxes, _MAX_BOXES)}
    seen: set[tuple[float, ...]] = set()
    for number, page in enumerate(pages[1:], 2):
        texts: list[tuple[float, float]] = []
        left = _MAX_BOXES
        for each in painted_boxes(page):
            if each.kind == "text" and len(texts) < _MAX_TEXTS:
                texts.append((each.box.left, each.box.bottom))
            elif _is_covering(opacities, each) and _place(each) in first - seen and left > 0:
                left -= 1
                if any(contains(each.box, text) for text in texts):
                    seen.add(_place(each))
                    yield number, each.box


def _is_covering(opacities: Mapping[str, float], painted: Painted) -> bool:
    is_large = min(painted.box.width, painted.box.height) >= _MIN_BOX_POINTS
    return painted.kind == "box" and is_large and opacities.get(painted.name, 1) > _VISIBLE


def _place(painted: Painted) -> tuple[float, ...]:
    box = painted.box
    return tuple(round(side, 1) for side in (box.left, box.bottom, box.width, box.height))


@cache
def _script() -> PageFunction[list[_Gap]]:
    folder = Path(__file__).parent
    selector = folder.joinpath("selector.js").read_text()
    script = folder.joinpath("print_gaps.js").read_text()
    return PageFunction(script.replace("SELECTOR", selector.partition("\n")[2].strip()))
