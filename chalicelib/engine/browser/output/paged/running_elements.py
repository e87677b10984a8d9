"""Running elements: `position: running()` and `element()` in margin boxes (CSS GCPM 3).

The browser draws no elements in margin boxes. The document prints them on sheets of their own,
which are laid over its pages later.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from pybase64 import b64decode

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_style import adopted_style
from chalicelib.engine.browser.output.paged.assignments import (
    Assignment,
    Occurrence,
    occurrence,
    values_by_page,
)
from chalicelib.engine.browser.output.paged.margin_box_places import AREAS, box_style
from chalicelib.engine.browser.output.paged.margin_boxes import conditional_css
from chalicelib.engine.browser.output.paged.marks import MarkedElement
from chalicelib.engine.browser.output.paged.page_boxes import PageBoxes
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import PagedRule
from chalicelib.engine.browser.tab.animations import await_print, outcome_in_slices
from chalicelib.engine.browser.tab.nodes import NodeCount
from chalicelib.engine.browser.tab.tab import Tab

_RUNNING: Final = re.compile(r"running\(\s*([\w-]+)\s*\)", re.IGNORECASE)
_ELEMENT: Final = re.compile(r"element\(\s*([\w-]+)\s*(?:,\s*([\w-]+)\s*)?\)", re.IGNORECASE)
# While places are read, a running element keeps its place and takes no room.
_PLACED_CSS: Final = """{
  position: absolute !important; visibility: hidden !important; overflow: hidden !important;
  width: 0 !important; height: 0 !important; margin: 0 !important; padding: 0 !important;
  break-before: auto !important; break-after: auto !important }"""
_HIDDEN_CSS: Final = "{ display: none !important }"
# Rounding must not push a sheet to another page. The top edges of sheet and page coincide.
_SLACK_PT: Final = 1
_SHEETS_CSS: Final = """html, body {
  display: block !important; position: static !important; float: none !important;
  margin: 0 !important; padding: 0 !important; border: 0 !important; columns: auto !important;
  width: auto !important; height: auto !important; min-height: 0 !important;
  background: none !important; transform: none !important; contain: none !important }
html::before, html::after, body::before, body::after { display: none !important }
body > :not(platen-sheets) { display: none !important }"""
_SHEET_CSS: Final = (
    "display: block; position: relative; overflow: hidden; contain: strict;"
    " break-inside: avoid; break-after: page; page: platen-s{kind};"
    " width: {width}pt; height: {height}pt"
)
# No box of the document's own pages is drawn on a sheet.
_NO_BOXES: Final = " ".join(f"@{area} {{ content: none !important }}" for area in sorted(AREAS))
_KIND_CSS: Final = (
    "@page platen-s{kind} {{ size: {width}pt {height}pt !important; margin: 0 !important;"
    " padding: 0 !important; border: 0 !important; background: none !important; {boxes} }}"
)
_REMOVE_SHEETS: Final = PageFunction[None]("""() => {
  const {container, hidden, kept} = globalThis.platenRunning;
  container.remove();
  for (const [text, stub] of hidden) stub.replaceWith(text);
  for (const [child, style] of kept) {
    if (style === null) child.removeAttribute('style'); else child.setAttribute('style', style);
  }
  delete globalThis.platenRunning;
}""")


class RunningBox(NamedTuple):
    """Margin box with a running element, by the number of its mark."""

    area: str
    mark: int


class Sheet(NamedTuple):
    """Content that is drawn over a page; `number` is empty where it matters to no element."""

    size: tuple[float, float]
    boxes: PageBoxes
    elements: tuple[RunningBox, ...]
    number: int | None


class PageOverlay(NamedTuple):
    """Sheets as a PDF, which of them lies over each page, and the marks of too high elements."""

    content: bytes
    sheets: Sequence[int | None]
    high_marks: Sequence[int] = ()


def running_name(rule: PagedRule) -> str:
    """Return the name of a rule's running elements; empty if it has none."""
    match = _RUNNING.fullmatch(rule.value)
    return "" if match is None else match[1]


def element_use(content: str) -> tuple[str, Occurrence] | None:
    """Return the name and occurrence of a margin box that is an element; None for others."""
    match = _ELEMENT.fullmatch(content)
    which = None if match is None else occurrence(match[2] or "")
    return None if match is None or which is None else (match[1], which)


def running_css(rules: Sequence[PagedRule], *, is_placed: bool) -> str:
    """Return the style of running elements in the body: in their places, or away."""
    css = _PLACED_CSS if is_placed else _HIDDEN_CSS
    return "\n".join(
        conditional_css(rule.conditions, f"{rule.selectors} {css}")
        for rule in rules
        if rule.kind == "running" and running_name(rule)
    )


class RunningElements:
    """Running elements of a document, as its margin boxes name them."""

    def __init__(self, rules: Sequence[PagedRule], marks: Sequence[MarkedElement]) -> None:
        """Start without places; `rules` are those of the marks."""
        self._marks = {
            number: running_name(rules[mark.rule])
            for number, mark in enumerate(marks)
            if rules[mark.rule].kind == "running"
        }
        self._all_marks = marks
        self._places: dict[str, list[Assignment[int]]] = {}

    @property
    def exist(self) -> bool:
        """Tell whether there are any in the document."""
        return bool(self._marks)

    def read(self, links: PrintedLinks) -> None:
        """Take the places of the elements from a print."""
        self._places = {}
        for number, name in self._marks.items():
            place = links.places.get(self._all_marks[number].fragment)
            if place is not None:
                self._places.setdefault(name, []).append(Assignment(place.page, number))

    def sheets(
        self, links: PrintedLinks, boxes: Sequence[PageBoxes], numbers: Sequence[int]
    ) -> list[Sheet | None]:
        """Return the sheet of each page, None for a page without running elements."""
        values: dict[tuple[str, Occurrence], list[int | None]] = {}
        sheets: list[Sheet | None] = []
        for page, size in enumerate(links.sizes):
            elements = []
            for area, declarations in boxes[page].areas.items():
                use = element_use(declarations.get("content", ""))
                if use is None or area not in AREAS:
                    continue
                if use not in values:
                    assigned = self._places.get(use[0], [])
                    values[use] = values_by_page(assigned, links.pages, use[1])
                mark = values[use][page]
                if mark is not None:
                    elements.append(RunningBox(area, mark))
            counts = any(self._all_marks[box.mark].details.get("counts") for box in elements)
            number = numbers[page] if counts else None
            sheets.append(Sheet(size, boxes[page], tuple(elements), number) if elements else None)
        return sheets


def print_sheets(
    tab: Tab, options: PdfOptions, pages: Sequence[Sheet | None], total: int
) -> PageOverlay | None:
    """Print the sheets of the pages, each different one once; None where there is none.

    Raises RenderFailure `render_failed` or `render_timeout`, and OverBudget for too many nodes.
    """
    numbers: dict[object, int] = {}
    sheets: list[Sheet] = []
    indexes: list[int | None] = []
    for sheet in pages:
        if sheet is None:
            indexes.append(None)
            continue
        # Pages of a kind share their boxes.
        key = (sheet.size, id(sheet.boxes), sheet.elements, sheet.number)
        if key not in numbers:
            numbers[key] = len(sheets)
            sheets.append(sheet)
        indexes.append(numbers[key])
    if not sheets:
        return None
    kinds = {size: kind for kind, size in enumerate(dict.fromkeys(sheet.size for sheet in sheets))}
    css = "\n".join([_SHEETS_CSS, *(_kind_css(size, kind) for size, kind in kinds.items())])
    with adopted_style(tab, css):
        arguments: list[Json] = [
            _sheet_argument(sheet, kinds[sheet.size], total, options.scale) for sheet in sheets
        ]
        filled = outcome_in_slices(tab, tab.call_function(_sheets_script(), arguments))
        NodeCount(tab).check_limit()
        printing = tab.send(
            "Page.printToPDF",
            printBackground=options.print_background,
            preferCSSPageSize=True,
            generateTaggedPDF=False,
        )
        content = b64decode(await_print(tab, printing)["data"])
        tab.outcome(tab.call_function(_REMOVE_SHEETS))
    return PageOverlay(content, indexes, filled["result"].get("value") or ())


def _kind_css(size: tuple[float, float], kind: int) -> str:
    return _KIND_CSS.format(kind=kind, width=size[0], height=size[1] + _SLACK_PT, boxes=_NO_BOXES)


def _sheet_argument(sheet: Sheet, kind: int, total: int, scale: float) -> Json:
    width, height = sheet.size
    style = _SHEET_CSS.format(kind=kind, width=width, height=height)
    if sheet.number is not None:
        style += f"; --platen-page: {sheet.number}; --platen-pages: {total}"
    boxes: list[Json] = []
    for element in sheet.elements:
        box = box_style(element.area, sheet.size, sheet.boxes, scale)
        boxes.append({"mark": element.mark, "sideStyle": box.side, "cellStyle": box.cell})
    return {"style": style, "boxes": boxes}


@cache
def _sheets_script() -> PageFunction[list[int]]:
    return PageFunction(Path(__file__).with_name("running.js").read_text())
