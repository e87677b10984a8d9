"""Page numbers in the body, and page counters that elements reset (CSS Paged Media 3).

In the body the browser counts no pages, and in margin boxes it knows no resets.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.paged.assignments import Assignment
from chalicelib.engine.browser.output.paged.margin_boxes import (
    conditional_css,
    page_texts_css,
    replace_calls,
)
from chalicelib.engine.browser.output.paged.marks import MarkedElement
from chalicelib.engine.browser.output.paged.numerals import numeral
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import PagedRule
from chalicelib.engine.browser.tab.tab import Tab

_RESET: Final = re.compile(r"(?<![\w-])page(?:\s+(-?\d{1,9}))?(?![\w-])", re.IGNORECASE)
_COUNTERS: Final = "counters?"
_RULE_CSS: Final = """{selectors} {{
  counter-set: platen-page var(--platen-page, 0) platen-pages var(--platen-pages, 0);
  content: {content};
}}"""
# Writes numbers of marked elements and the number of pages; without any they are taken away.
_WRITE: Final = PageFunction[None]("""(numbers, pages) => {
  const root = Reflect.get(Document.prototype, 'documentElement', document);
  const numbered = globalThis.platenNumbered ??= new Set();
  const remove = (element, name) => {
    element.style.removeProperty(name);
    if (!element.style.length) element.removeAttribute('style');
  };
  for (const [mark, number] of numbers) {
    const element = globalThis.platenMarks.elements[mark];
    numbered.add(element);
    element.style.setProperty('--platen-page', number);
  }
  if (pages) {
    root.style.setProperty('--platen-pages', pages);
  } else {
    remove(root, '--platen-pages');
    for (const element of numbered) remove(element, '--platen-page');
  }
}""")


class PageNumbers:
    """Numbers of the pages, as elements reset them, and of marked elements in the body."""

    def __init__(
        self,
        tab: Tab,
        rules: Sequence[PagedRule],
        marks: Sequence[MarkedElement],
        first_number: int,
    ) -> None:
        """Start before the first print; `first_number` is that of the first page."""
        self._tab, self._rules, self._marks = tab, rules, marks
        self._first_number = first_number
        self._resets: Sequence[Assignment[int]] = ()
        self._written: tuple[list[tuple[int, int]], int] = ([], 0)
        self._pages = 0
        self._styles: dict[str, str] = {}

    @property
    def counts_itself(self) -> bool:
        """Tell whether the document counts in `page` itself: its elements increment it."""
        return any(
            self._rules[mark.rule].name == "counter-increment"
            and not mark.details.get("isFixed", False)
            for mark in self._marks_of("page_counter")
        )

    def body_css(self) -> Iterator[str]:
        """Yield the rules that show page numbers in the body."""
        names = {"pages"} if self.counts_itself else {"page", "pages"}

        def counter(function: str, arguments: list[str]) -> str:
            name, *others = arguments
            if name.lower() not in names:
                return f"{function}({', '.join(arguments)})"
            return f"counter({', '.join([f'platen-{name.lower()}', *_style(others)])})"

        marks = (mark for mark in self._marks_of("page_text") if not mark.details.get("isFixed"))
        for number in dict.fromkeys(mark.rule for mark in marks):
            rule = self._rules[number]
            content = replace_calls(rule.value, _COUNTERS, counter)
            css = _RULE_CSS.format(selectors=rule.selectors, content=content)
            yield conditional_css(rule.conditions, css)

    def number(self, page: int) -> int:
        """Return the number of a page, as the last reset on it or before has it."""
        last = bisect_right(self._resets, page, key=itemgetter(0)) - 1
        if last < 0:
            return page + self._first_number
        return self._resets[last].value + page - self._resets[last].page

    def update(self, links: PrintedLinks) -> bool:
        """Write the numbers that a print shows to be true; tell whether some were not."""
        self._pages = links.pages
        self._resets = self._found_resets(links)
        numbers = [
            (number, self.number(links.places[mark.fragment].page))
            for number, mark in enumerate(self._marks)
            if self._rules[mark.rule].kind == "page_text" and mark.fragment in links.places
        ]
        found = (numbers, self._first_number + links.pages - 1)
        if found == self._written or not numbers:
            return False
        self._write(found)
        return True

    def clear(self) -> None:
        """Take the numbers away: they stand in no other output."""
        if self._written[0]:
            self._write(([], 0))

    def drawn_content(self, content: str) -> str:
        """Return the content of a margin box with the numbers of pages that elements reset."""
        if not self._resets:
            return content
        return replace_calls(content, _COUNTERS, self._counter)

    def css(self) -> Iterator[str]:
        """Yield the counter styles that the contents of the margin boxes name."""
        for style, name in self._styles.items():
            # Before the first reset a margin box counts from 1, as the browser does.
            before = self._resets[0].page
            numbers = (
                page + 1 if page < before else self.number(page) for page in range(self._pages)
            )
            yield page_texts_css(name, [numeral(number, style) for number in numbers])

    def _counter(self, function: str, arguments: list[str]) -> str:
        name, *others = arguments
        if name.lower() != "page":
            return f"{function}({', '.join(arguments)})"
        style = "".join(_style(others)).lower() or "decimal"
        page_style = self._styles.setdefault(style, f"platen-page-{len(self._styles)}")
        return f"counter(page, {page_style})"

    def _found_resets(self, links: PrintedLinks) -> Sequence[Assignment[int]]:
        resets = {}
        for mark in self._marks_of("page_counter"):
            rule = self._rules[mark.rule]
            reset = _RESET.search(rule.value)
            place = links.places.get(mark.fragment)
            if place is not None and reset is not None and rule.name != "counter-increment":
                # No page comes before the first one: 0 is its number too.
                resets[place.page] = max(1, int(reset[1] or 0))
        return [Assignment(page, value) for page, value in sorted(resets.items())]

    def _marks_of(self, kind: str) -> Iterator[MarkedElement]:
        return (mark for mark in self._marks if self._rules[mark.rule].kind == kind)

    def _write(self, written: tuple[list[tuple[int, int]], int]) -> None:
        self._written = written
        numbers, pages = written
        self._tab.outcome(self._tab.call_function(_WRITE, [[*number] for number in numbers], pages))


def _style(arguments: Sequence[str]) -> Sequence[str]:
    """Return the counter style among the arguments behind a name; the others are quoted."""
    return [style for style in arguments[-1:] if not style.endswith(("'", '"'))]
