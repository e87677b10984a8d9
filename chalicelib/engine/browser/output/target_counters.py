"""Page numbers of link targets: `target-counter(attr(href), page)` of style sheets (decision 52).

The browser has no such function. The pages of the targets are read from a print, written into the
document as numbers, and the document is printed again.
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_style import CounterRule, PageStyle, adopted_style
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks, printed_links
from chalicelib.engine.browser.tab.tab import Tab

# The first print has no numbers. A second one with them may move targets to other pages; numbers
# that are still not true after the last one stay.
MAX_PRINTS: Final = 4
_RULE_CSS: Final = """{selectors} {{
  counter-set: platen-target var(--platen-target-{number}, 0);
  content: {content};
}}"""


class TargetNumbers:
    """Page numbers of link targets in a document: read from a print, and written for the next."""

    def __init__(
        self, tab: Tab, rules: Sequence[CounterRule], number_of: Callable[[int], int]
    ) -> None:
        """Start without numbers; `number_of` returns that of a page, counted from 0."""
        self._tab = tab
        self._rules: list[Json] = [
            {"selectors": rule.selectors, "attribute": rule.attribute} for rule in rules
        ]
        self._number_of = number_of
        self._numbers: dict[str, Json] = {}

    def update(self, links: PrintedLinks) -> bool:
        """Write the numbers that a print shows to be true; tell whether some were not."""
        if not self._rules:
            return False
        found = {name: self._number_of(place.page) for name, place in links.places.items()}
        if found == self._numbers:
            return False
        self._write({**found})
        return True

    def clear(self) -> None:
        """Take the numbers away: they stand in no other output."""
        if self._rules:
            self._write({})

    def _write(self, numbers: dict[str, Json]) -> None:
        self._numbers = numbers
        self._tab.outcome(self._tab.call_function(_number_script(), self._rules, numbers))


def print_with_target_counters(
    tab: Tab, options: PdfOptions, style: PageStyle, print_once: Callable[[PdfOptions], bytes]
) -> bytes:
    """Return the PDF with the page numbers of its link targets, printed until they are true.

    Raises RenderFailure as `print_once` does.
    """
    with adopted_style(tab, target_counter_css(style.counter_rules)):
        numbers = TargetNumbers(
            tab, style.counter_rules, lambda page: page + options.page_number_start
        )
        content = print_until_true(options, print_once, [numbers.update])
        if options.page_ranges:
            content = print_once(options)
        numbers.clear()
        return content


def print_until_true(
    options: PdfOptions,
    print_once: Callable[[PdfOptions], bytes],
    updates: Sequence[Callable[[PrintedLinks], bool]],
) -> bytes:
    """Return a PDF of all pages, printed until no update changes the document, at most 4 times.

    An update writes values of a print into the document, and tells whether they differ.
    """
    every_page = msgspec.structs.replace(options, page_ranges=None)
    for _ in range(MAX_PRINTS - 1):
        content = print_once(every_page)
        links = printed_links(content)
        # Each of them writes, also behind one that has.
        changed = [update(links) for update in updates]
        if not any(changed):
            return content
    return print_once(every_page)


def target_counter_css(rules: Sequence[CounterRule]) -> str:
    """Return the style that shows the numbers of targets."""
    return "\n".join(
        _RULE_CSS.format(selectors=rule.selectors, content=rule.content, number=number)
        for number, rule in enumerate(rules)
    )


@cache
def _number_script() -> PageFunction[None]:
    return PageFunction(Path(__file__).with_name("target_counters.js").read_text())
