"""Paged CSS of one document, as its prints read and show it."""

from collections.abc import Callable, Sequence
from typing import Final

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.engine.browser.output.page_style import PageStyle
from chalicelib.engine.browser.output.paged.assignments import Assignment, values_by_page
from chalicelib.engine.browser.output.paged.blank_pages import (
    MAX_BLANK_PAGES,
    BlankPages,
    blank_page_css,
)
from chalicelib.engine.browser.output.paged.margin_boxes import margin_box_css
from chalicelib.engine.browser.output.paged.marks import MarkedElement, MarkedElements
from chalicelib.engine.browser.output.paged.named_strings import NamedStrings
from chalicelib.engine.browser.output.paged.page_boxes import PageBoxes, PageKind, page_boxes
from chalicelib.engine.browser.output.paged.page_numbers import PageNumbers
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import MAX_WARNINGS, PagedRule
from chalicelib.engine.browser.output.paged.running_elements import (
    PageOverlay,
    RunningElements,
    element_use,
    print_sheets,
    running_name,
)
from chalicelib.engine.browser.output.paged.unavailable import undrawn_warning
from chalicelib.engine.browser.output.target_counters import (
    TargetNumbers,
)
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.pdf.pages.page_ranges import selected_pages

_POINTS_PER_INCH: Final = 72


class PagedDocument:
    """Differences between the pages of a document: read from a print, and written for the next."""

    def __init__(
        self,
        tab: Tab,
        options: PdfOptions,
        style: PageStyle,
        rules: Sequence[PagedRule],
        marked: MarkedElements,
    ) -> None:
        """Start before the first print; `rules` are those of the marks."""
        marks = marked.marks
        self._tab, self._options, self._is_rtl = tab, options, marked.is_rtl
        self._rules, self._marks, self._page_rules = rules, marks, style.paged_rules
        self._margin = style.page_margin(options)
        self._links = PrintedLinks((), {})
        self._strings = NamedStrings()
        self._running = RunningElements(rules, marks)
        self._blanks = BlankPages(tab, style.paged_rules, rules, marks)
        self._numbers = PageNumbers(tab, rules, marks, options.page_number_start)
        self._targets = TargetNumbers(tab, style.counter_rules, self._numbers.number)

    @property
    def body_css(self) -> str:
        """Return the style that all prints have."""
        return "\n".join(self._numbers.body_css())

    @property
    def updates(self) -> Sequence[Callable[[PrintedLinks], bool]]:
        """Return the updates: each reads a print and changes the document for the next one."""
        return (
            *(self._blanks.update, self._numbers.update, self._targets.update),
            self._read,
        )

    @property
    def warnings(self) -> list[RenderWarning]:
        """Return warnings of texts that are not drawn for some elements."""
        undrawn = dict.fromkeys(
            self._rules[mark.rule] for mark in self._marks if not _is_drawn(mark)
        )
        # A counter that is fixed is told once, by what shows it.
        shown = {rule.selectors for rule in undrawn if rule.kind == "page_text"}
        told = [r for r in undrawn if r.kind != "page_counter" or r.selectors not in shown]
        warnings = [*self._strings.warnings, *map(undrawn_warning, told), *self._unused_elements]
        if self._blanks.is_truncated:
            message = f"More than {MAX_BLANK_PAGES} blank pages are needed; the rest was left out."
            warnings.append(RenderWarning("feature_unavailable", message))
        return warnings

    @property
    def _unused_elements(self) -> list[RenderWarning]:
        """Return a warning for each rule that takes elements away which no margin box has."""
        boxes = [rule for rule in self._page_rules if rule.kind == "margin_box"]
        names = {use[0] for rule in boxes if (use := element_use(rule.value)) is not None}
        taken = dict.fromkeys(self._rules[mark.rule] for mark in self._marks)
        return [
            undrawn_warning(rule, "no margin box has the element, which is printed nowhere")
            for rule in taken
            if rule.kind == "running" and running_name(rule) not in names
        ]

    def overlap_warnings(self, marks: Sequence[int]) -> list[RenderWarning]:
        """Return a warning for each rule with elements that are higher than their margin boxes."""
        message = "A running element is higher than its margin box and may lie over the text."
        rules = dict.fromkeys(self._rules[self._marks[mark].rule] for mark in marks)
        return [
            RenderWarning("header_footer_overlap", message, rule.text)
            for rule in list(rules)[:MAX_WARNINGS]
        ]

    def margin_box_css(self) -> str:
        """Return the style of the last print; rules that it does not change stay the browser's."""
        boxes = [rule for rule in self._page_rules if rule.kind == "margin_box"]
        contents = [self._drawn_content(rule) for rule in boxes]
        changed = [rule.value for rule in boxes] != contents
        return "\n".join(
            [
                *self._strings.css(),
                *self._numbers.css(),
                *(map(margin_box_css, boxes, contents) if changed else ()),
                *blank_page_css(self._page_rules, self._drawn_content),
            ]
        )

    def _drawn_content(self, rule: PagedRule) -> str:
        if element_use(rule.value) is not None:
            # The browser draws the box, which is empty.
            return '""'
        return self._numbers.drawn_content(self._strings.drawn_content(rule.value))

    def clear(self) -> None:
        """Restore the document: the written style stands in no other output."""
        self._blanks.clear()
        self._numbers.clear()
        self._targets.clear()

    def print_overlay(self) -> PageOverlay | None:
        """Print the running elements, in the order of the pages that are printed."""
        if not self._running.exist:
            return None
        kinds: dict[PageKind, PageBoxes] = {}
        boxes = []
        blank = self._blanks.blank_pages(self._links)
        for page, name in enumerate(self._page_names()):
            kind = PageKind(name or "", page == 0, page % 2 == 0, self._is_rtl, page in blank)
            if kind not in kinds:
                kinds[kind] = page_boxes(kind, self._page_rules, self._margin)
            boxes.append(kinds[kind])
        # They would be drawn too.
        self._blanks.clear()
        numbers = [self._numbers.number(page) for page in range(self._links.pages)]
        sheets = self._running.sheets(self._links, boxes, numbers)
        if self._options.page_ranges and not self._options.varies_by_page:
            selected = selected_pages(self._options.page_ranges, len(sheets))
            sheets = [sheets[page] for page in selected]
        total = self._options.page_number_start + self._links.pages - 1
        return print_sheets(self._tab, self._options, sheets, total)

    def _page_names(self) -> Sequence[str | None]:
        names = [
            Assignment(self._links.places[mark.fragment].page, mark.details["page"])
            for mark in self._marks
            if "page" in mark.details and mark.fragment in self._links.places
        ]
        return values_by_page(names, self._links.pages, "last")

    def _read(self, links: PrintedLinks) -> bool:
        self._links = links
        self._strings.read(self._marks, links, self._margin.top * _POINTS_PER_INCH)
        self._running.read(links)
        return False


def _is_drawn(mark: MarkedElement) -> bool:
    details = mark.details
    return details.get("isPossible", True) and not details.get("isFixed", False)
