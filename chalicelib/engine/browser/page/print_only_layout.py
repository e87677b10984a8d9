"""Print-only layout: skips the screen layout of documents that are only printed (decision 25).

The browser lays a document out for its window when it is parsed, and for its pages when it is
printed. The first layout takes a sixth of the time of a long table. It is skipped where neither the
output nor any warning depends on it.
"""

import re
from html import unescape
from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.tab.tab import Tab

_PRINT_FORMATS: Final = frozenset({"pdf", "xml"})
# An adopted style sheet exists before the document does, survives its replacement and appears in no
# output.
_HIDE_ON_SCREEN: Final = PageFunction[None]("""(pageCss) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `@media screen { body { content-visibility: hidden !important } } ${pageCss}`);
  document.adoptedStyleSheets = [sheet];
}""")
# Web fonts load when text is laid out. They are loaded by name here, because the report of used
# fonts is made before the print layout. It covers the first 300 texts only.
_LOAD_FONTS: Final = PageFunction[None]("""async () => {
  const fonts = Reflect.get(Document.prototype, 'fonts', document);
  if (!fonts.size) return;
  const samples = new Map();
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 300 && walker.nextNode();) {
    const {data, parentElement} = walker.currentNode;
    if (!parentElement || !/\\S/.test(data)) continue;
    seen++;
    const {fontStyle, fontWeight, fontFamily} = getComputedStyle(parentElement);
    const font = `${fontStyle} ${fontWeight} 1px ${fontFamily.slice(0, 500)}`;
    samples.set(font, `${samples.get(font) ?? ''}${data.slice(0, 100)}`);
  }
  await Promise.all([...samples].map(([font, text]) => fonts.load(font, text).catch(() => null)));
}""")
# Elements and properties that print alike with and without a screen layout, as random documents
# showed. Excluded is everything that moves, scrolls, sticks, takes focus or remembers a size. Try
# additions in the same way (decision 25).
_SAFE_ELEMENTS: Final = """
    html head meta title style body main header footer nav section article aside address div p
    h1 h2 h3 h4 h5 h6 blockquote pre hr br wbr span a b strong i em u s small sub sup code abbr
    time mark label font center ul ol li dl dt dd table caption colgroup col thead tbody tfoot tr
    td th img figure figcaption svg g path rect circle ellipse line polyline polygon text tspan
"""
_SAFE_PROPERTIES: Final = """
    color opacity background background-color background-image background-position
    background-repeat background-size border border-top border-right border-bottom border-left
    border-color border-style border-width border-top-width border-right-width
    border-bottom-width border-left-width border-top-color border-right-color border-bottom-color
    border-left-color border-top-style border-right-style border-bottom-style border-left-style
    border-radius border-collapse border-spacing empty-cells table-layout caption-side box-sizing
    margin margin-top margin-right margin-bottom margin-left padding padding-top padding-right
    padding-bottom padding-left width height min-width min-height max-width max-height display
    float clear position top right bottom left z-index flex flex-direction flex-wrap flex-grow
    flex-shrink flex-basis justify-content align-items align-self gap row-gap column-gap
    grid-template-columns grid-template-rows grid-column grid-row font font-family font-size
    font-style font-weight font-variant font-variant-numeric font-feature-settings line-height
    letter-spacing word-spacing text-align text-decoration text-indent text-transform
    vertical-align white-space word-break word-wrap overflow-wrap direction list-style
    list-style-type list-style-position content counter-reset counter-increment quotes src size
    page page-break-before page-break-after page-break-inside break-before break-after
    break-inside orphans widows print-color-adjust -webkit-print-color-adjust text-rendering fill
    stroke stroke-width
"""
_URL_SCHEMES: Final = "data http https mailto tel"
_SAFE_ELEMENT_SET: Final = frozenset(_SAFE_ELEMENTS.split())
_SAFE_WORDS: Final = frozenset(f"{_SAFE_ELEMENTS} {_SAFE_PROPERTIES} {_URL_SCHEMES}".split())
_ELEMENT_NAME: Final = re.compile(r"<([a-z][^\s/>]*)")
# Matches every property, and text that looks like one: selectors, URLs, words. False matches only
# cost the saving.
_PROPERTY_NAME: Final = re.compile(r"""(?:[{};"'=]|\*/)\s*+(?!--)([a-z-]++)\s*+:""")
# In lower case. Assets that the layout requests (they must be awaited before printing), rules that
# depend on the window, and CSS escapes, which could spell any of these.
_SCREEN_WORDS: Final = (
    *("image-set(", "sticky", "autofocus", "\\"),
    *("@container", "@layer", "@supports", "@scope", "@property", "@keyframes", "@position-try"),
)
_SCREEN_PATTERNS: Final = MarkupSearch(
    r"""url\(\s*+["']?+\s*+(?!data:|#)""",
    r"background\s*=",
    # Fixed to the window, except `table-layout: fixed`.
    r"fixed(?<!table-layout:fixed)(?<!table-layout: fixed)",
)


def is_safe_for(html: str, output: OutputOptions) -> bool:
    """Tell whether a document without scripts and frames prints alike with no screen layout."""
    return (
        set(output.formats) <= _PRINT_FORMATS
        # An explicit medium may be `screen`.
        and output.media is None
        # These options inspect the page before it is printed, or let it run on.
        and not output.pdf.has_pdfua_target
        and not output.strict_assets
        and output.page_wait.selector is None
        and output.page_wait.expression is None
        and not output.page_wait.delay_ms
        and not _needs_screen_layout(unescape(html).lower())
    )


def skip_screen_layout(tab: Tab, page_css: str) -> None:
    """Disable the screen layout of the next document that is set as the page's content.

    `page_css` is adopted with it.
    """
    tab.call_function(_HIDE_ON_SCREEN, page_css)


def load_fonts(tab: Tab) -> None:
    """Start loading the web fonts of a document whose layout is skipped."""
    tab.call_function(_LOAD_FONTS)


def _needs_screen_layout(text: str) -> bool:
    return (
        any(word in text for word in _SCREEN_WORDS)
        or _SCREEN_PATTERNS.finds(text)
        or not _SAFE_ELEMENT_SET.issuperset(_ELEMENT_NAME.findall(text))
        or not _SAFE_WORDS.issuperset(_PROPERTY_NAME.findall(text))
    )
