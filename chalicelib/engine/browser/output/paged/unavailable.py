"""Warnings of paged CSS that is not drawn."""

from collections.abc import Mapping, Sequence
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.paged.assignments import occurrence
from chalicelib.engine.browser.output.paged.margin_boxes import replace_calls
from chalicelib.engine.browser.output.paged.rules import MAX_WARNINGS, PagedKind, PagedRule
from chalicelib.engine.browser.output.paged.running_elements import element_use, running_name
from chalicelib.engine.browser.output.paged.string_set import parse_string_set
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

_REASONS: Final[Mapping[PagedKind, str]] = {
    "named_string": "a named string takes texts, content() and attr()",
    "running": "a running element has one name; the element stays in its place",
    "footnote": "there are no footnotes; the text stays in its place",
    "side_break": "a blank page stands between blocks only; the content begins on the next page",
    "page_text": "an element with position: fixed is the same on every page",
    "page_counter": "an element with position: fixed is the same on every page",
    "margin_box": "string() and element() take a name and first, start, last or first-except, and "
    "element() stands alone",
    "page_selector": "the browser knows no page by its number",
    "page_mark": "there is no bleed, and there are no printer's marks",
}
_PAGE_KINDS: Final[frozenset[PagedKind]] = frozenset({"page_mark", "page_selector", "margin_box"})
# Whether an element matches, for each list of selectors. Pseudo-elements count as their elements.
_MATCHING: Final = PageFunction[list[bool]]("""(lists) => lists.map((selectors) => {
  const hosts = selectors.replace(/::?(?:before|after|marker|first-line|first-letter)\\b/gi, '');
  try {
    return Boolean(Document.prototype.querySelector.call(document, hosts));
  } catch {
    return false;
  }
})""")


def unavailable_warnings(tab: Tab, rules: Sequence[PagedRule]) -> list[RenderWarning]:
    """Return a warning for each rule that has no effect on elements or pages, at most 20.

    Raises RenderFailure `render_timeout`.
    """
    undrawn = [rule for rule in rules if rule.kind in _REASONS and not _is_drawn(rule)]
    effective = _is_effective(tab, undrawn)
    return [
        undrawn_warning(rule) for rule, is_used in zip(undrawn, effective, strict=True) if is_used
    ][:MAX_WARNINGS]


def _is_drawn(rule: PagedRule) -> bool:
    if rule.kind == "named_string":
        return parse_string_set(rule.value) is not None
    if rule.kind == "margin_box":
        return _is_drawn_box(rule.value)
    if rule.kind == "running":
        return bool(running_name(rule))
    # What does not fit some of its elements is told by who draws it.
    return rule.kind in {"side_break", "page_text", "page_counter"}


def _is_drawn_box(content: str) -> bool:
    if element_use(content) is not None:
        return True
    unknown: list[str] = []

    def call(name: str, arguments: list[str]) -> str:
        if name == "element" or occurrence(",".join(arguments[1:])) is None:
            unknown.append(name)
        return ""

    replace_calls(content, "string|element", call)
    return not unknown


def _is_effective(tab: Tab, rules: Sequence[PagedRule]) -> list[bool]:
    """Tell of each rule whether its selectors match; rules of pages do."""
    selectors = [rule.selectors for rule in rules if rule.kind not in _PAGE_KINDS]
    if not selectors:
        return [True] * len(rules)
    try:
        answer = tab.outcome(tab.call_function(_MATCHING, [*selectors]))
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        return [True] * len(rules)
    matching = iter(answer["result"].get("value") or [True] * len(selectors))
    return [rule.kind in _PAGE_KINDS or next(matching) for rule in rules]


def undrawn_warning(rule: PagedRule, reason: str = "") -> RenderWarning:
    """Return the warning of a rule that has no effect on some of its elements."""
    message = f"{rule.name} ({rule.place}) was ignored: {reason or _REASONS[rule.kind]}."
    return RenderWarning("feature_unavailable", message, rule.text)
