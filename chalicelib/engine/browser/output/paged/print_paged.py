"""Prints of a document with paged CSS: some to read its layout, and the one that is kept.

The elements that the rules match are marked while the layout is read. What differs between pages
is written into the document as style, and the last print shows it.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.output.paged.margin_boxes import margin_box_css
from chalicelib.engine.browser.output.paged.marks import MAX_MARKS, marked_elements
from chalicelib.engine.browser.output.paged.named_strings import NamedStrings
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import PagedKind, PagedRule
from chalicelib.engine.browser.output.paged.string_set import parse_string_set
from chalicelib.engine.browser.output.target_counters import (
    TargetNumbers,
    print_until_true,
    target_counter_css,
)
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.job import RenderWarning

_POINTS_PER_INCH: Final = 72


_DRAWN: Final[frozenset[PagedKind]] = frozenset({"named_string"})


def draws_paged_css(rules: Sequence[PagedRule]) -> bool:
    """Tell whether a document has rules of paged CSS that take more than one print."""
    return any(rule.kind in _DRAWN for rule in rules)


def print_paged(
    tab: Tab, options: PdfOptions, style: PageStyle, print_once: Callable[[PdfOptions], bytes]
) -> tuple[bytes, list[RenderWarning]]:
    """Return the PDF of a document that has rules of paged CSS, and warnings of what is cut.

    Raises RenderFailure as `print_once` does.
    """
    strings = NamedStrings()
    boxes = [
        margin_box_css(rule, strings.drawn(rule.value))
        for rule in style.paged_rules
        if rule.kind == "margin_box"
    ]
    targets = TargetNumbers(tab, style.counter_rules, options.page_number_start)
    margin_top_pt = style.page_margin(options).top * _POINTS_PER_INCH
    # Tags and outline take time, and change no layout.
    measured = msgspec.structs.replace(options, tagged=False, outline=False)
    with adopted_style(tab, target_counter_css(style.counter_rules)):
        with marked_elements(tab, _marked_rules(style.paged_rules)) as marked:

            def read_strings(links: PrintedLinks) -> bool:
                strings.read(marked.marks, links, margin_top_pt)
                return False

            print_until_true(measured, print_once, [targets.update, read_strings])
        with adopted_style(tab, "\n".join([*strings.css(), *boxes])):
            content = print_once(options)
        targets.clear()
    warnings = strings.warnings
    if marked.is_truncated:
        message = f"Rules of paged CSS match more than {MAX_MARKS} elements; the rest was ignored."
        warnings.append(RenderWarning("feature_unavailable", message))
    return content, warnings


def _marked_rules(rules: Sequence[PagedRule]) -> list[Json]:
    marked: list[Json] = []
    for rule in rules:
        if rule.kind == "named_string":
            strings = parse_string_set(rule.value) or []
            pieces: list[Json] = [[name, [[*piece] for piece in text]] for name, text in strings]
            marked.append({"kind": rule.kind, "selectors": rule.selectors, "strings": pieces})
    return marked
