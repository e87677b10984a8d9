"""Page style of a document: size, margins, and the page rules that the browser drops.

The browser drops `size: 80mm auto` and `target-counter()` when it parses a sheet, so these are
found in the text of `style` elements and of sheets among the request's assets. That of other linked
sheets would have to be requested again (decision 52).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypedDict
from urllib.parse import urlsplit

import msgspec

from chalicelib.contract.css_values import css_page_size, length_in_inches
from chalicelib.contract.options.assets import plain_path
from chalicelib.contract.options.pdf import Margin, MarginInches, PdfOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.assets import AssetFiles
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.output.paged.rules import (
    PAGED_CSS,
    PagedRule,
    StyleText,
    may_have_paged_css,
    paged_rules,
)
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

# Hostile texts are searched: each pattern takes time that is linear in its text.
_COMMENT: Final = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
# In lower case.
_UNREAD: Final = MarkupSearch(r"target-(?:counter|text)", r"leader\(", r"size\s*:[^:;}]{0,60}auto")
_UNREAD_SHEET: Final = re.compile(
    rf"target-(?:counter|text)|leader\(|@page|{PAGED_CSS}", re.IGNORECASE
)
# The selectors of a rule and its declarations, up to the first rule within it.
_RULE: Final = re.compile(r"(?:(?<=[{};])|\A)([^{};]++)\{([^{}]*+)")
_PAGE_RULE: Final = re.compile(r"@page\s*\{([^{}]*+)", re.IGNORECASE)
_AUTO_HEIGHT: Final = re.compile(r"([0-9.]{1,12}(?:mm|cm|in|px|pt|pc))\s+auto", re.IGNORECASE)
_TARGET_COUNTER: Final = re.compile(
    r"target-counter\(\s*attr\(\s*([\w-]+)(?:\s+[\w-]+)?\s*\)\s*,\s*page\s*(,\s*[\w-]+\s*)?\)",
    re.IGNORECASE,
)
_UNKNOWN_FUNCTION: Final = re.compile(r"(?:target-counters?|target-text|leader)\(", re.IGNORECASE)
_WORDS_OF_PAGE_RULES: Final = ("@page", "@import", "stylesheet", "\\")
_QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
MAX_COUNTER_RULES: Final = 50
_MAX_SELECTED_CHARS: Final = 100_000
_MAX_WARNINGS: Final = 20
_MAX_DETAIL_CHARS: Final = 200
_MARGIN_SIDES: Final = ("marginTop", "marginRight", "marginBottom", "marginLeft")

# Style elements whose place in the document is looked for.
_MAX_LOOKS: Final = 200
_ADOPT_STYLE: Final = PageFunction[None]("""(css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const sheets = Reflect.get(Document.prototype, 'adoptedStyleSheets', document);
  Reflect.set(Document.prototype, 'adoptedStyleSheets', [...sheets, sheet], document);
  (globalThis.platenStyles ??= []).push(sheet);
}""")
# Takes the newest one away.
_DROP_STYLE: Final = PageFunction[None]("""() => {
  const sheet = globalThis.platenStyles.pop();
  const sheets = Reflect.get(Document.prototype, 'adoptedStyleSheets', document);
  Reflect.set(Document.prototype, 'adoptedStyleSheets',
    [...sheets].filter((other) => other !== sheet), document);
}""")


class CounterRule(NamedTuple):
    """Rule whose `content` has the page number of a target, there a counter `platen-target`."""

    selectors: str
    content: str
    attribute: str


class PageStyle(NamedTuple):
    """Page style of a document; None where it says nothing. Sizes are in inches.

    `has_other_margins` tells of margins that are no lengths, such as percentages, and of rules that
    cannot be read. `selected_rules` is the text of rules for some pages.
    """

    size: tuple[float, float] | None = None
    auto_height_width: float | None = None
    margin: tuple[float | None, ...] = (None, None, None, None)
    counter_rules: Sequence[CounterRule] = ()
    dropped_rules: Sequence[str] = ()
    paged_rules: Sequence[PagedRule] = ()
    has_other_margins: bool = False
    selected_rules: str = ""

    @property
    def warnings(self) -> list[RenderWarning]:
        """Return a warning for each rule whose `content` is dropped, at most 20."""
        message = (
            "The content of a rule was ignored: target-counter takes attr(…) and page, and "
            "leader and target-text are not known."
        )
        return [
            RenderWarning("feature_unavailable", message, rule)
            for rule in self.dropped_rules[:_MAX_WARNINGS]
        ]

    def page_margin(self, options: PdfOptions) -> MarginInches:
        """Return the margins of the pages: the document's own, else those of the request."""
        own, given = self.margin, options.margin.inches
        return MarginInches(*(g if o is None else o for o, g in zip(own, given, strict=True)))

    def with_room(self, options: PdfOptions) -> PdfOptions:
        """Return options with the document's margins if those of the request leave no room.

        The browser refuses such margins, even where those of the document win.
        """
        if options.has_room:
            return options
        sides = (f"{side:.4f}in" for side in self.page_margin(options))
        return msgspec.structs.replace(options, margin=Margin(*sides))


_UNKNOWN: Final = PageStyle(has_other_margins=True)


class _ReadStyle(TypedDict):
    """`texts` are addresses and texts of the sheets in their order; one of the two is empty.

    `inline` are `style` attributes, written as rules.
    """

    page: dict[str, str]
    selected: str | None
    texts: list[tuple[str, str]]
    inline: list[str]


@contextmanager
def adopted_style(tab: Tab, css: str) -> Iterator[None]:
    """Add a style sheet to the document meanwhile, behind its own; the format `html` has it not.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    # Calls of a page run one after the other, so the next one need not wait for this answer.
    adopted = tab.call_function(_ADOPT_STYLE, css)
    yield
    tab.outcome(adopted)
    tab.call_function(_DROP_STYLE)


def may_be_unread(html: str) -> bool:
    """Tell whether a document's own text may hold rules that the browser drops."""
    return _UNREAD.finds(html.lower()) or may_have_paged_css(html)


def may_have_page_rules(html: str) -> bool:
    """Tell whether a document without scripts may say something about its pages."""
    text = html.lower()
    return any(word in text for word in _WORDS_OF_PAGE_RULES)


def unread_sheets(assets: AssetFiles) -> Mapping[str, str]:
    """Return the style sheets that may hold rules that the browser drops, by their paths."""
    texts = css_texts(assets)
    return {path: text for path, text in texts.items() if _UNREAD_SHEET.search(text)}


def css_texts(assets: AssetFiles) -> Mapping[str, str]:
    """Return the style sheets among the files of a request, by their paths."""
    return {
        path: asset.content.decode("utf-8-sig", "replace")
        for path, asset in assets.items()
        if asset.content_type.startswith("text/css")
    }


def read_page_style(
    tab: Tab, options: PdfOptions, medium: str | None, html: str | None = None
) -> PageStyle:
    """Return the page style of a document, as `PageStyleReading` does."""
    return PageStyleReading(tab, medium, html).page_style(options)


class PageStyleReading:
    """Reading of the page style of a document, which goes on until the style is needed.

    `medium` is that of the print, None for `print`. Rules of paged CSS are looked for where the
    text of the document is given; that of a visited URL is empty.
    """

    def __init__(self, tab: Tab, medium: str | None, html: str | None = None) -> None:
        """Begin to read."""
        self._tab = tab
        self._medium = medium or "print"
        self._html = html
        self._answer = tab.call_function(
            _read_script(),
            *(_UNREAD_SHEET.pattern, self._medium),
            *(html is not None, _MAX_SELECTED_CHARS),
        )

    def page_style(self, options: PdfOptions) -> PageStyle:
        """Return the page style; an unknown one when scripts of the document prevent the reading.

        Raises RenderFailure `render_timeout`.
        """
        try:
            read = self._tab.outcome(self._answer)["result"].get("value")
        except RenderFailure as failure:
            if failure.code != "render_failed":
                raise
            return _UNKNOWN
        if read is None:
            return _UNKNOWN
        page, sheets = read["page"], _style_texts(self._tab, read["texts"], self._html)
        text = "\n".join(_COMMENT.sub("", sheet.text) for sheet in sheets)
        sheets += [StyleText(rule, "a style attribute") for rule in read["inline"]]
        margin = tuple(_inches(page.get(side, "")) for side in _MARGIN_SIDES)
        return PageStyle(
            css_page_size(page.get("size", ""), options.turned_size),
            _auto_height_width(text),
            margin,
            *_counter_rules(text),
            () if self._html is None else paged_rules(sheets, self._medium),
            read["selected"] is None
            or any(
                page.get(name) and side is None
                for name, side in zip(_MARGIN_SIDES, margin, strict=True)
            ),
            read["selected"] or "",
        )


def _style_texts(tab: Tab, texts: list[tuple[str, str]], html: str | None) -> list[StyleText]:
    """Return the texts of the style sheets of a document, those of other sheets left out."""
    origin = f"{tab.prepared_page.origin}/"
    document, end, line, looks = html or "", 0, 1, 0
    sheets = []
    for url, text in texts:
        path = plain_path(urlsplit(url).path[1:])
        if not url:
            # In the order of the document; the lines of the first ones only, as each look costs.
            begin = document.find(text, end) if looks < _MAX_LOOKS else -1
            looks += 1
            if begin < 0:
                sheets.append(StyleText(text, "a style element"))
                continue
            line, end = line + document.count("\n", end, begin), begin
            sheets.append(StyleText(text, "", line))
        elif url.startswith(origin) and path in tab.own_sheets:
            sheets.append(StyleText(tab.own_sheets[path], path))
    return sheets


def expected_page_style(html: str, options: PdfOptions) -> PageStyle:
    """Return the page style that the text of a document lets expect, before it is loaded.

    It reads all unnamed `@page` rules, also those that the browser will not apply.
    """
    if "@page" not in html:
        return PageStyle()
    text = _COMMENT.sub("", html)
    page: dict[str, str] = {}
    for rule in _PAGE_RULE.finditer(text):
        page |= _declarations(rule[1])
    around = page.get("margin", "").split()
    # As CSS has it: top, right, bottom, left; an absent one is that of the other side.
    sides = [around[n] if n < len(around) else "" for n in range(4)]
    sides[1] = sides[1] or sides[0]
    sides[2] = sides[2] or sides[0]
    sides[3] = sides[3] or sides[1]
    names = ("margin-top", "margin-right", "margin-bottom", "margin-left")
    return PageStyle(
        css_page_size(page.get("size", ""), options.turned_size),
        _auto_height_width(text),
        tuple(_inches(page.get(name, side)) for name, side in zip(names, sides, strict=True)),
    )


def _declarations(text: str) -> dict[str, str]:
    """Return the values of a rule's declarations by the names of their properties."""
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    return {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}


def _auto_height_width(text: str) -> float | None:
    """Return the width in inches of pages that are as long as their content; the last size wins."""
    width = None
    for rule in _PAGE_RULE.finditer(text):
        size = _declarations(rule[1]).get("size")
        if size is not None:
            match = _AUTO_HEIGHT.fullmatch(size)
            width = None if match is None else _inches(match[1])
    return width


def _counter_rules(text: str) -> tuple[Sequence[CounterRule], Sequence[str]]:
    """Return the rules that count targets, and those whose `content` has unknown functions."""
    rules, dropped = [], []
    for rule in _RULE.finditer(text):
        content = _declarations(rule[2]).get("content", "")
        target = _TARGET_COUNTER.search(content)
        replaced = _TARGET_COUNTER.sub(r"counter(platen-target\2)", content)
        if _UNKNOWN_FUNCTION.search(_QUOTED.sub("", replaced)) is not None:
            dropped.append(f"{rule[1].strip()} {{ content: {content} }}"[:_MAX_DETAIL_CHARS])
        elif target is not None:
            rules.append(CounterRule(rule[1].strip(), replaced, target[1]))
    return rules[:MAX_COUNTER_RULES], dropped


def _inches(length: str) -> float | None:
    try:
        return length_in_inches(length)
    except ValueError:
        # A percentage or a formula: the margin of the request is near enough for a layout.
        return None


@cache
def _read_script() -> PageFunction[_ReadStyle | None]:
    return PageFunction(Path(__file__).with_name("page_style.js").read_text())
