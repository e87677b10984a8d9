"""Blank pages where content begins on a right or left page (`break-before: right`).

The browser takes such a break for that of a plain page. An empty box with breaks around it is a
page of its own, which the browser counts and draws like any other.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.paged.margin_boxes import conditional_css
from chalicelib.engine.browser.output.paged.marks import MarkedElement
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import PagedRule
from chalicelib.engine.browser.tab.tab import Tab

MAX_BLANK_PAGES: Final = 1_000
_PAGE: Final = "platen-blank"
_BOX_STYLE: Final = (
    "display: block; position: static; float: none; columns: auto; margin: 0; padding: 0;"
    " border: 0; height: 0; min-height: 0; break-before: page; break-after: page; page: "
)
_BLANK: Final = re.compile(r"(?<![\w-]):blank(?![\w-])", re.IGNORECASE)
# Puts a blank page before each of the marked elements with these numbers, and before no other.
_SET_BLANK_PAGES: Final = PageFunction[None]("""(numbers, style) => {
  for (const box of globalThis.platenBlanks ?? []) box.remove();
  globalThis.platenBlanks = numbers.map((number) => {
    const box = Document.prototype.createElement.call(document, 'platen-blank');
    box.style.cssText = style;
    globalThis.platenMarks.elements[number].before(box);
    return box;
  });
}""")


class BlankPages:
    """Blank pages of a document, before marked elements."""

    def __init__(
        self,
        tab: Tab,
        page_rules: Sequence[PagedRule],
        rules: Sequence[PagedRule],
        marks: Sequence[MarkedElement],
    ) -> None:
        """Start without blank pages; `rules` are those of the marks."""
        self._tab = tab
        # A page with a name of its own takes longer.
        has_style = any(rule.kind == "blank_page" for rule in page_rules)
        self._box_style = f"{_BOX_STYLE}{_PAGE if has_style else 'auto'}".replace(
            ";", " !important;"
        )
        # An element begins once, and several rules may match it; the last one counts.
        self._breaks = {
            mark.fragment: (number, mark)
            for number, mark in enumerate(marks)
            if rules[mark.rule].kind == "side_break" and mark.details.get("isPossible")
        }
        self._blank: list[str] = []
        self.is_truncated = False

    def update(self, links: PrintedLinks) -> bool:
        """Insert the blank pages that a print shows to be needed; tell whether they have changed.

        Each forced break begins a page, so a blank page moves all that follows by exactly one.
        """
        needed: list[str] = []
        present = 0
        for fragment, (_, mark) in self._breaks.items():
            present += fragment in self._blank
            place = links.places.get(fragment)
            if place is None:
                continue
            if len(needed) == MAX_BLANK_PAGES:
                self.is_truncated = True
                break
            page = place.page - present + len(needed)
            if (page % 2 == 0) != mark.details.get("isRecto"):
                needed.append(fragment)
        if needed == self._blank:
            return False
        self._set(needed)
        return True

    def blank_pages(self, links: PrintedLinks) -> frozenset[int]:
        """Return the pages of a print that are blank."""
        places = (links.places.get(fragment) for fragment in self._blank)
        return frozenset(place.page - 1 for place in places if place is not None)

    def clear(self) -> None:
        """Take the blank pages away: they stand in no other output."""
        if self._blank:
            self._set([])

    def _set(self, fragments: list[str]) -> None:
        self._blank = fragments
        numbers = [self._breaks[fragment][0] for fragment in fragments]
        self._tab.outcome(self._tab.call_function(_SET_BLANK_PAGES, [*numbers], self._box_style))


def blank_page_css(
    rules: Sequence[PagedRule], drawn_content: Callable[[PagedRule], str]
) -> Iterator[str]:
    """Yield the rules of `@page :blank` for the pages that the browser does not know as blank.

    `drawn_content` returns the value of a rule as the browser reads it.
    """
    for rule in rules:
        if rule.kind == "blank_page":
            declaration = f"{rule.name}: {drawn_content(rule)}"
            area = f"{rule.area} {{ {declaration} }}" if rule.area else declaration
            page = _BLANK.sub(_PAGE, rule.selectors)
            yield conditional_css(rule.conditions, f"{page} {{ {area} }}")
