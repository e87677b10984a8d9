"""Prints of a document with paged CSS: some to read its layout, and the one that is kept.

The elements that the rules match are marked while the layout is read. What differs between pages
is written into the document as style, and the last print shows it.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.output.paged.assignments import Assignment, values_by_page
from chalicelib.engine.browser.output.paged.blank_pages import (
    MAX_BLANK_PAGES,
    BlankPages,
    blank_page_css,
)
from chalicelib.engine.browser.output.paged.margin_boxes import conditional_css, margin_box_css
from chalicelib.engine.browser.output.paged.marks import MAX_MARKS, Mark, Marks, marked_elements
from chalicelib.engine.browser.output.paged.named_strings import NamedStrings
from chalicelib.engine.browser.output.paged.page_boxes import PageBoxes, PageKind, page_boxes
from chalicelib.engine.browser.output.paged.page_numbers import PageNumbers
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import MAX_WARNINGS, PagedKind, PagedRule
from chalicelib.engine.browser.output.paged.running_elements import (
    HIDDEN_CSS,
    PLACED_CSS,
    PageOverlay,
    RunningElements,
    element_use,
    print_sheets,
    running_name,
)
from chalicelib.engine.browser.output.paged.string_set import parse_string_set
from chalicelib.engine.browser.output.paged.unavailable import undrawn_warning
from chalicelib.engine.browser.output.target_counters import (
    TargetNumbers,
    print_until_true,
    target_counter_css,
)
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.finishing.page_selection import selected_pages
from chalicelib.engine.job import RenderWarning

_POINTS_PER_INCH: Final = 72
# Kinds that take more than one print.
_DRAWN: Final[frozenset[PagedKind]] = frozenset(
    {"named_string", "running", "side_break", "page_text", "page_counter"}
)


class PagedPrint(NamedTuple):
    """Print of a document with paged CSS; `overlay` is still to be laid over its pages."""

    content: bytes
    overlay: PageOverlay | None
    warnings: list[RenderWarning]


def draws_paged_css(rules: Sequence[PagedRule]) -> bool:
    """Tell whether a document has rules of paged CSS that take more than one print."""
    return any(
        rule.kind in _DRAWN or (rule.kind == "margin_box" and "string(" in rule.value)
        for rule in rules
    )


def print_paged(
    tab: Tab, options: PdfOptions, style: PageStyle, print_once: Callable[[PdfOptions], bytes]
) -> PagedPrint:
    """Print a document that has rules of paged CSS; raises RenderFailure as `print_once` does."""
    rules = [rule for rule in style.paged_rules if rule.kind in _DRAWN]
    if any(rule.kind == "running" for rule in rules):
        # Names of pages choose among the boxes that running elements are drawn in.
        named = [rule for rule in style.paged_rules if rule.kind == "page_name"]
        rules += [*named, *(rule._replace(kind="page_name_end") for rule in named)]
    with ExitStack() as styles:
        styles.enter_context(adopted_style(tab, target_counter_css(style.counter_rules)))
        with marked_elements(tab, _marked_rules(rules)) as marked:
            document = _PagedDocument(tab, options, style, rules, marked)
            styles.enter_context(adopted_style(tab, document.body_css))
            # Tags and outline take time, and change no layout.
            measured = msgspec.structs.replace(options, tagged=False, outline=False)
            with adopted_style(tab, running_css(rules, is_placed=True)):
                if marked.marks or style.counter_rules:
                    print_until_true(measured, print_once, document.updates)
        styles.enter_context(adopted_style(tab, document.margin_box_css()))
        with adopted_style(tab, running_css(rules, is_placed=False)):
            content = print_once(options)
        overlay = document.print_overlay()
        document.clear()
    high = () if overlay is None else overlay.high_marks
    warnings = [*document.warnings, *document.overlap_warnings(high)]
    return PagedPrint(content, overlay, [*warnings, *_truncation_warnings(marked)])


class _PagedDocument:
    """What differs between the pages of a document."""

    def __init__(
        self,
        tab: Tab,
        options: PdfOptions,
        style: PageStyle,
        rules: Sequence[PagedRule],
        marked: Marks,
    ) -> None:
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
        return "\n".join(self._numbers.body_css())

    @property
    def updates(self) -> Sequence[Callable[[PrintedLinks], bool]]:
        return (
            *(self._blanks.update, self._numbers.update, self._targets.update),
            self._read,
        )

    @property
    def warnings(self) -> list[RenderWarning]:
        undrawn = dict.fromkeys(
            self._rules[mark.rule] for mark in self._marks if not _is_drawn(mark)
        )
        warnings = [*self._strings.warnings, *map(undrawn_warning, undrawn), *self._unused]
        if self._blanks.is_truncated:
            message = f"More than {MAX_BLANK_PAGES} blank pages are needed; the rest was left out."
            warnings.append(RenderWarning("feature_unavailable", message))
        return warnings

    @property
    def _unused(self) -> list[RenderWarning]:
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
        contents = [self._drawn(rule) for rule in boxes]
        changed = [rule.value for rule in boxes] != contents
        return "\n".join(
            [
                *self._strings.css(),
                *self._numbers.css(),
                *(map(margin_box_css, boxes, contents) if changed else ()),
                *blank_page_css(self._page_rules, self._drawn),
            ]
        )

    def _drawn(self, rule: PagedRule) -> str:
        if element_use(rule.value) is not None:
            # The browser draws the box, which is empty.
            return '""'
        return self._numbers.drawn(self._strings.drawn(rule.value))

    def clear(self) -> None:
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


def running_css(rules: Sequence[PagedRule], *, is_placed: bool) -> str:
    """Return the style of running elements in the body: in their places, or away."""
    css = PLACED_CSS if is_placed else HIDDEN_CSS
    return "\n".join(
        conditional_css(rule.conditions, f"{rule.selectors} {css}")
        for rule in rules
        if rule.kind == "running" and running_name(rule)
    )


def _marked_rules(rules: Sequence[PagedRule]) -> list[Json]:
    marked: list[Json] = []
    for rule in rules:
        strings = parse_string_set(rule.value) if rule.kind == "named_string" else None
        pieces: list[Json] = [[name, [[*piece] for piece in text]] for name, text in strings or []]
        marked.append(
            {
                "kind": rule.kind,
                "selectors": rule.selectors,
                "name": rule.name,
                "value": rule.value.lower(),
                "strings": pieces,
            }
        )
    return marked


def _is_drawn(mark: Mark) -> bool:
    details = mark.details
    return details.get("isPossible", True) and not details.get("isFixed", False)


def _truncation_warnings(marked: Marks) -> list[RenderWarning]:
    if not marked.is_truncated:
        return []
    message = f"Rules of paged CSS match more than {MAX_MARKS} elements; the rest was ignored."
    return [RenderWarning("feature_unavailable", message)]
