"""Prints of a document with paged CSS: some to read its layout, and the one that is kept.

The elements that the rules match are marked while the layout is read. What differs between pages
is written into the document as style, and the last print shows it.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.output.paged.blank_pages import (
    MAX_BLANK_PAGES,
    BlankPages,
    blank_page_css,
)
from chalicelib.engine.browser.output.paged.margin_boxes import margin_box_css
from chalicelib.engine.browser.output.paged.marks import MAX_MARKS, Mark, Marks, marked_elements
from chalicelib.engine.browser.output.paged.named_strings import NamedStrings
from chalicelib.engine.browser.output.paged.page_numbers import PageNumbers
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import PagedKind, PagedRule
from chalicelib.engine.browser.output.paged.string_set import parse_string_set
from chalicelib.engine.browser.output.paged.unavailable import undrawn_warning
from chalicelib.engine.browser.output.target_counters import (
    TargetNumbers,
    print_until_true,
    target_counter_css,
)
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.job import RenderWarning

_POINTS_PER_INCH: Final = 72
# Kinds whose elements are marked.
_MARKED: Final[frozenset[PagedKind]] = frozenset(
    {"named_string", "side_break", "page_text", "page_counter"}
)


def draws_paged_css(rules: Sequence[PagedRule]) -> bool:
    """Tell whether a document has rules of paged CSS that take more than one print."""
    return any(rule.kind in _MARKED for rule in rules)


def print_paged(
    tab: Tab, options: PdfOptions, style: PageStyle, print_once: Callable[[PdfOptions], bytes]
) -> tuple[bytes, list[RenderWarning]]:
    """Return the PDF of a document that has rules of paged CSS, and warnings of what is not drawn.

    Raises RenderFailure as `print_once` does.
    """
    rules = [rule for rule in style.paged_rules if rule.kind in _MARKED]
    with ExitStack() as styles:
        styles.enter_context(adopted_style(tab, target_counter_css(style.counter_rules)))
        with marked_elements(tab, _marked_rules(rules)) as marked:
            document = _PagedDocument(tab, options, style, rules, marked.marks)
            styles.enter_context(adopted_style(tab, document.body_css))
            # Tags and outline take time, and change no layout.
            measured = msgspec.structs.replace(options, tagged=False, outline=False)
            if marked.marks or style.counter_rules:
                print_until_true(measured, print_once, document.updates)
        styles.enter_context(adopted_style(tab, document.margin_box_css()))
        content = print_once(options)
        document.clear()
    return content, [*document.warnings, *_truncation_warnings(marked)]


class _PagedDocument:
    """What differs between the pages of a document."""

    def __init__(
        self,
        tab: Tab,
        options: PdfOptions,
        style: PageStyle,
        rules: Sequence[PagedRule],
        marks: Sequence[Mark],
    ) -> None:
        self._rules, self._marks, self._page_rules = rules, marks, style.paged_rules
        self._margin_top_pt = style.page_margin(options).top * _POINTS_PER_INCH
        self._strings = NamedStrings()
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
            self._read_strings,
        )

    @property
    def warnings(self) -> list[RenderWarning]:
        undrawn = dict.fromkeys(
            self._rules[mark.rule] for mark in self._marks if not _is_drawn(mark)
        )
        warnings = [*self._strings.warnings, *map(undrawn_warning, undrawn)]
        if self._blanks.is_truncated:
            message = f"More than {MAX_BLANK_PAGES} blank pages are needed; the rest was left out."
            warnings.append(RenderWarning("feature_unavailable", message))
        return warnings

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
        return self._numbers.drawn(self._strings.drawn(rule.value))

    def clear(self) -> None:
        self._blanks.clear()
        self._numbers.clear()
        self._targets.clear()

    def _read_strings(self, links: PrintedLinks) -> bool:
        self._strings.read(self._marks, links, self._margin_top_pt)
        return False


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
