"""Page numbers of link targets: `target-counter(attr(href), page)` of style sheets (decision 52).

The browser has no such function. The pages of the targets are read from a print, written into the
document as numbers, and the document is printed again.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_style import CounterRule, PageStyle, adopted_style
from chalicelib.engine.browser.page.tab import Tab

if TYPE_CHECKING:
    from chalicelib.core.json import Json

# The first print has no numbers. A second one with them may move targets to other pages; numbers
# that are still not true after the last one stay.
MAX_PRINTS: Final = 4
_RULE_CSS: Final = """{selectors} {{
  counter-set: platen-target var(--platen-target-{number}, 0);
  content: {content};
}}"""


def print_with_target_counters(
    tab: Tab, options: PdfOptions, style: PageStyle, print_once: Callable[[PdfOptions], bytes]
) -> bytes:
    """Return the PDF with the page numbers of its link targets, printed until they are true.

    Raises RenderFailure as `print_once` does.
    """
    with adopted_style(tab, _css(style.counter_rules)):
        return _print_with_numbers(tab, options, style, print_once)


def _print_with_numbers(
    tab: Tab, options: PdfOptions, style: PageStyle, print_once: Callable[[PdfOptions], bytes]
) -> bytes:
    rules: list[Json] = [
        {"selectors": rule.selectors, "attribute": rule.attribute} for rule in style.counter_rules
    ]
    every_page = msgspec.structs.replace(options, page_ranges=None)
    numbers: dict[str, Json] = {}
    for _ in range(MAX_PRINTS - 1):
        content = print_once(every_page)
        found = _target_numbers(content, options.page_number_start)
        if found == numbers:
            break
        numbers = {**found}
        tab.outcome(tab.call_function(_number_script(), rules, numbers))
    else:
        content = print_once(every_page)
    if options.page_ranges:
        content = print_once(options)
    # The numbers stand in no other output.
    tab.call_function(_number_script(), rules, {})
    return content


def _css(rules: Sequence[CounterRule]) -> str:
    return "\n".join(
        _RULE_CSS.format(selectors=rule.selectors, content=rule.content, number=number)
        for number, rule in enumerate(rules)
    )


def _target_numbers(content: bytes, first: int) -> Mapping[str, int]:
    """Return the page number of each link target, by the fragment of its URL."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    with pikepdf.open(io.BytesIO(content)) as document:
        pages = {page.obj.objgen: number for number, page in enumerate(document.pages, first)}
        return {
            unquote(name.removeprefix("/")): pages[destination[0].objgen]
            for name, destination in document.Root.get("/Dests", pikepdf.Dictionary()).items()
            if destination[0].objgen in pages
        }


@cache
def _number_script() -> PageFunction[None]:
    return PageFunction(Path(__file__).with_name("target_counters.js").read_text())
