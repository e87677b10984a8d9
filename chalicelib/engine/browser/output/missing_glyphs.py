"""Warnings of characters that no font has a glyph for: boxes are drawn in their place."""

from collections.abc import Sequence
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.fonts import GlyphGap
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

MAX_WARNINGS: Final = 20
_MAX_NAMED: Final = 5
# Returns for each family and its characters the first text that has one of them, cut around it.
_FIND_TEXTS: Final = PageFunction[list[str]]("""(wanted) => {
  const found = wanted.map(() => '');
  const letters = wanted.map(([, characters]) => new Set(characters));
  const root = Reflect.get(Document.prototype, 'documentElement', document);
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  const skipped = /^(SCRIPT|STYLE|TITLE|NOSCRIPT|TEMPLATE|TEXTAREA)$/;
  let left = wanted.length;
  while (left > 0 && walker.nextNode()) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!/[^\\u0000-\\u024f]/.test(text) || skipped.test(element.nodeName)) { continue; }
    const families = getComputedStyle(element).fontFamily;
    const all = [...text];
    wanted.forEach(([family], index) => {
      const place = found[index] ? -1 : all.findIndex((letter) => letters[index].has(letter));
      if (place < 0 || !families.includes(family)) { return; }
      const part = all.slice(Math.max(0, place - 20), place + 40).join('');
      found[index] = part.replace(/\\s+/g, ' ').trim();
      left--;
    });
  }
  return found;
}""")


def glyph_warnings(tab: Tab, missing: Sequence[GlyphGap]) -> list[RenderWarning]:
    """Return a warning for each family of `missing`, whose detail is the text.

    Raises RenderFailure `render_timeout`.
    """
    named = missing[:MAX_WARNINGS]
    called = tab.call_function(_FIND_TEXTS, [list(glyphs) for glyphs in named])
    try:
        texts = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        # A warning without its place is better than none; a timeout ends the render.
        if failure.code != "render_failed":
            raise
        texts = []
    places = [*texts, *[""] * len(named)]
    return [
        RenderWarning("glyph_missing", _message(glyphs), place or None)
        for glyphs, place in zip(named, places, strict=False)
    ]


def _message(glyphs: GlyphGap) -> str:
    named = [f"{letter} (U+{ord(letter):04X})" for letter in glyphs.characters[:_MAX_NAMED]]
    more = len(glyphs.characters) - len(named)
    letters = f"{', '.join(named)}{f' and {more} more' if more > 0 else ''}"
    return (
        f"No font has {letters} in the text of {glyphs.requested}, so boxes are drawn; load a web "
        "font that has them"
    )
