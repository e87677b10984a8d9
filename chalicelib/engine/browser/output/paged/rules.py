"""Rules of paged CSS in the style sheets of a document.

The browser drops them, or takes them for something less, such as a plain page break.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.output.paged.css_blocks import (
    CssBlock,
    css_blocks,
)

type PagedKind = Literal[
    "named_string",
    "running",
    "footnote",
    "side_break",
    "page_text",
    "page_counter",
    "margin_box",
    "page_mark",
    "page_selector",
    "blank_page",
    "page_margin",
    "box_style",
    "page_name",
    "page_name_end",
]

MAX_RULES: Final = 500
MAX_RULE_CHARS: Final = 200
MAX_WARNINGS: Final = 20
# Patterns of texts that may hold such rules, in lower case. Each begins with literal letters
# (markup_search.py). They are read by Python and by JavaScript.
_ANY_CASE_PATTERNS: Final = (
    "string-set",
    r"running\(",
    "footnote",
    r":nth\(",
    r"bleed(?<!\wbleed)\s*:",
    r"marks(?<!\wmarks)\s*:",
    r"counter(?<!\wcounter)s?\(\s*pages?\s*[,)]",
    r"break-(?:before|after)\s*:\s*(?:right|left|recto|verso)",
    r"counter-(?:reset|set|increment)\s*:[^;{}]{0,100}\bpage\b",
)
# In scripts `String(` is usual.
_CASED_PATTERNS: Final = (
    r"string\((?<![\w.-]string\()\s*[\w-]+\s*[,)]",
    r"element\((?<![\w.-]element\()\s*[\w-]+\s*[,)]",
)
PAGED_CSS: Final = "|".join((*_ANY_CASE_PATTERNS, *_CASED_PATTERNS))
_ANY_CASE: Final = MarkupSearch(*_ANY_CASE_PATTERNS)
_CASED: Final = MarkupSearch(*_CASED_PATTERNS)
# A margin box that the browser draws.
_DRAWN_AREA: Final = re.compile(
    r"@(?:top|bottom|left|right)[\w-]{0,20}\s*+\{(?![^{}]*?(?:string|element)\()[^{}]*+\}",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?", re.DOTALL)
_RUNNING: Final = re.compile(r"running\(", re.IGNORECASE)
_PAGE_COUNTER: Final = re.compile(r"\bcounters?\(\s*pages?\s*[,)]", re.IGNORECASE)
_PAGE_NAME: Final = re.compile(r"(?<![\w-])page(?![\w-])", re.IGNORECASE)
_BLANK_PAGE: Final = re.compile(r":blank(?![\w-])", re.IGNORECASE)
_SIDES: Final = frozenset({"right", "left", "recto", "verso"})
_SCREEN_ONLY: Final = re.compile(r"@media\s+(?:only\s+)?screen\b[^,]*", re.IGNORECASE)
_PRINT_ONLY: Final = re.compile(r"@media\s+(?:only\s+)?print\b[^,]*", re.IGNORECASE)


class StyleText(NamedTuple):
    """Text of a style sheet; `place` names its file, `line` is that of its begin."""

    text: str
    place: str = ""
    line: int = 1


class PagedRule(NamedTuple):
    """Declaration of paged CSS for elements, or for pages and an `area` of them."""

    kind: PagedKind
    selectors: str
    name: str
    value: str
    conditions: tuple[str, ...]
    place: str
    area: str = ""

    @property
    def text(self) -> str:
        """Return the rule as its author may find it."""
        selectors = f"{self.selectors} {self.area}".strip()
        text = f"{selectors} {{ {self.name}: {self.value} }}"
        return " ".join(text[:MAX_RULE_CHARS].split())


def may_have_paged_css(text: str) -> bool:
    """Tell whether a text may hold paged CSS that the browser drops, in or beside page rules."""
    # What the browser reads in page rules, such as its own page counters, is no reason to look.
    text = _DRAWN_AREA.sub("", text)
    return _CASED.finds(text) or _ANY_CASE.finds(text.lower())


def paged_rules(texts: Sequence[StyleText], medium: str = "print") -> Sequence[PagedRule]:
    """Return the rules of paged CSS that hold for a medium, in their order, at most 500."""
    other = _SCREEN_ONLY if medium == "print" else _PRINT_ONLY
    return tuple(islice((rule for text in texts for rule in _rules_of(text, other)), MAX_RULES))


def _rules_of(sheet: StyleText, other_medium: re.Pattern[str]) -> Iterator[PagedRule]:
    for block in css_blocks(sheet.text):
        kinds = list(_page_kinds(block) if block.page_preludes else _element_kinds(block))
        if not kinds or any(map(other_medium.fullmatch, block.conditions)):
            continue
        page, area = (*block.page_preludes, "", "")[:2]
        selectors = page or block.selectors
        line = sheet.line + sheet.text.count("\n", 0, block.offset)
        place = f"line {line} of {sheet.place}" if sheet.place else f"line {line}"
        for kind, name in kinds:
            value = block.declarations[name]
            yield PagedRule(kind, selectors, name, value, block.conditions, place, area)


def _page_kinds(block: CssBlock) -> Iterator[tuple[PagedKind, str]]:
    area = block.page_preludes[-1].lower()
    if ":nth(" in block.page_preludes[0].lower():
        yield "page_selector", next(iter(block.declarations))
        return
    is_blank = _BLANK_PAGE.search(block.page_preludes[0]) is not None
    for name, value in block.declarations.items():
        if is_blank:
            yield "blank_page", name
        if (name == "bleed" and value != "auto") or (name == "marks" and value != "none"):
            yield "page_mark", name
        elif name.startswith("margin") and area.startswith("@page"):
            yield "page_margin", name
        elif not area.startswith("@page"):
            yield ("margin_box" if name == "content" else "box_style"), name


def _element_kinds(block: CssBlock) -> Iterator[tuple[PagedKind, str]]:
    for name, value in block.declarations.items():
        for kind, is_kind in _ELEMENT_KINDS.items():
            if is_kind(name, value):
                yield kind, name


_ELEMENT_KINDS: Final[Mapping[PagedKind, Callable[[str, str], bool]]] = {
    "named_string": lambda name, _: name == "string-set",
    "running": lambda name, value: name == "position" and _RUNNING.match(value) is not None,
    "footnote": lambda name, value: name == "float" and value.lower() == "footnote",
    "side_break": lambda name, value: (
        name.endswith(("break-before", "break-after")) and value.lower() in _SIDES
    ),
    "page_text": lambda name, value: (
        name == "content" and _PAGE_COUNTER.search(_QUOTED.sub("", value)) is not None
    ),
    "page_name": lambda name, value: name == "page" and value.lower() != "auto",
    "page_counter": lambda name, value: (
        name.startswith("counter-") and _PAGE_NAME.search(value) is not None
    ),
}
