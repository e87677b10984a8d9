"""Documents that are laid out for paper alone.

The browser lays a document out for its window as soon as that is parsed, and for its pages when it
is printed. The first takes a sixth of the time of a long table, and nobody sees it: it is left out
where nothing that is printed, and nothing that is told of it, depends on it.
"""

import re
from typing import Final

from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.options.output import Output

_PRINTED: Final = frozenset({"pdf", "xml"})
# Adopted by the page, not written into it: so it is there before the document is, stays when that
# is replaced, and stands in no output.
_LEAVE_OUT: Final = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('@media screen { body { content-visibility: hidden !important } }');
  document.adoptedStyleSheets = [sheet];
}"""
# Fonts that stand in a document come when its text is laid out: what is told of them, of its first
# texts, is told before.
_ASK_FOR_FONTS: Final = """async () => {
  const fonts = Reflect.get(Document.prototype, 'fonts', document);
  if (!fonts.size) return;
  const asked = new Map();
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 300 && walker.nextNode();) {
    const {data, parentElement} = walker.currentNode;
    if (!parentElement || !/\\S/.test(data)) continue;
    seen++;
    const {fontStyle, fontWeight, fontFamily} = getComputedStyle(parentElement);
    const font = `${fontStyle} ${fontWeight} 1px ${fontFamily.slice(0, 500)}`;
    asked.set(font, `${asked.get(font) ?? ''}${data.slice(0, 100)}`);
  }
  await Promise.all([...asked].map(([font, text]) => fonts.load(font, text).catch(() => null)));
}"""
# In lower case: what moves from the moment at which it is first laid out, and what is asked for
# then, which is waited for and judged before the document is printed.
_OF_SCREEN: Final = ("animat", "transition", "<marquee", "<video", "background=", "image-set(")
_ASKED_FOR: Final = re.compile(r"""url\(\s*+["']?+\s*+(?!data:|#)""")


def is_enough(html: str, output: Output) -> bool:
    """Tell whether a document without scripts and frames needs no layout but that of its pages."""
    return (
        set(output.formats) <= _PRINTED
        # Any other than the browser's own may be that of a screen.
        and output.media is None
        # These look at the page before it is printed.
        and not output.pdf.held_to_pdfua
        and not output.strict_assets
        and output.wait.selector is None
        and output.wait.expression is None
        and not _moves_or_asks(html.lower())
    )


def leave_out_screen(tab: Tab) -> None:
    """Have the next document that stands where the page does laid out for paper alone."""
    tab.call_function(_LEAVE_OUT)


def ask_for_fonts(tab: Tab) -> None:
    """Have the web fonts come that the page's document, which is laid out later, asks for."""
    tab.call_function(_ASK_FOR_FONTS)


def _moves_or_asks(text: str) -> bool:
    return any(word in text for word in _OF_SCREEN) or _ASKED_FOR.search(text) is not None
