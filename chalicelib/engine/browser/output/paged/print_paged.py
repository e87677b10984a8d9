"""Prints of a document with paged CSS: some to read its layout, the last as the result.

The elements that the rules match are marked while the layout is read. Differences between pages are
written into the document as style, and the last print shows them.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

import msgspec

from chalicelib.contract.options.pdf import PdfOptions
from chalicelib.core.json import Json
from chalicelib.engine.browser.output.page_style import PageStyle, adopted_style
from chalicelib.engine.browser.output.paged.marks import MAX_MARKS, MarkedElements, marked_elements
from chalicelib.engine.browser.output.paged.paged_document import PagedDocument
from chalicelib.engine.browser.output.paged.rules import PagedKind, PagedRule
from chalicelib.engine.browser.output.paged.running_elements import (
    PageOverlay,
    running_css,
)
from chalicelib.engine.browser.output.paged.string_set import parse_string_set
from chalicelib.engine.browser.output.target_counters import (
    print_until_true,
    target_counter_css,
)
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

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
            document = PagedDocument(tab, options, style, rules, marked)
            styles.enter_context(adopted_style(tab, document.body_css))
            # Tags and outline take time, and change no layout.
            measured = msgspec.structs.replace(options, tagged=False, outline=False)
            with adopted_style(tab, running_css(rules, is_placed=True)):
                if marked.marks or style.counter_rules:
                    print_until_true(measured, print_once, document.updates)
        styles.enter_context(adopted_style(tab, document.margin_box_css()))
        # Where scripts prevent the marks, elements are printed in their places.
        away = running_css(rules, is_placed=False) if marked.marks else ""
        with adopted_style(tab, away):
            content = print_once(options)
        overlay = document.print_overlay()
        document.clear()
    high = () if overlay is None else overlay.high_marks
    warnings = [*document.warnings, *document.overlap_warnings(high)]
    return PagedPrint(content, overlay, [*warnings, *_truncation_warnings(marked)])


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


def _truncation_warnings(marked: MarkedElements) -> list[RenderWarning]:
    if not marked.is_truncated:
        return []
    message = f"Rules of paged CSS match more than {MAX_MARKS} elements; the rest was ignored."
    return [RenderWarning("feature_unavailable", message)]
