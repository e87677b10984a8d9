"""Which fonts a page asked for, and which its text was drawn with, as far as the page knows.

That is: each web font that has come and has Latin text to draw. What the browser puts in place of
others, only its DevTools domains DOM and CSS tell: a fifth more work for every document.
"""

from collections.abc import Mapping
from typing import Any, Final

_MOST_FONTS: Final = 50
# Returns the families of the web fonts that have come and are the first that some text asks for.
USED_FONTS: Final = """(() => {
  const unquoted = (family) => family.split(',')[0].replace(/["']/g, '').trim();
  const there = new Set([...document.fonts].filter((face) => face.status === 'loaded')
    .map((face) => unquoted(face.family)));
  if (!there.size || !document.documentElement) { return []; }
  const found = new Set(), skipped = new Set(['SCRIPT', 'STYLE', 'TITLE', 'NOSCRIPT', 'TEMPLATE']);
  const foreign = /[^\\u0000-\\u024f\\u2000-\\u206f\\u20a0-\\u20bf\\s]/u;
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 500 && found.size < there.size && walker.nextNode(); seen++) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!element || skipped.has(element.tagName) || !text.trim()) { continue; }
    const family = unquoted(getComputedStyle(element).fontFamily);
    if (there.has(family) && !foreign.test(text)) { found.add(family); }
  }
  return [...found];
})()"""


def used_fonts(settled: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what USED_FONTS has found, as the browser has answered."""
    families = settled.get("result", {}).get("value") or []
    return [{"requested": name, "used": name} for name in sorted(families)[:_MOST_FONTS]]
