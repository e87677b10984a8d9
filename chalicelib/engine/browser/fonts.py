"""Which fonts a page asked for, and which its text was drawn with."""

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from chalicelib.engine.browser.pipe import Answer
from chalicelib.engine.browser.tab import Tab

_PATIENCE_S: Final = 0.2
_MOST_FONTS: Final = 50
# Returns an element for each family that is asked for, and for each script in it, under the
# family's name; `true` for a web font that is there and has to draw Latin only.
REPRESENTATIVES: Final = """(() => {
  const unquoted = (family) => family.split(',')[0].replace(/["']/g, '').trim();
  const there = new Set([...document.fonts].filter((face) => face.status === 'loaded')
    .map((face) => unquoted(face.family)));
  const found = {}, skipped = new Set(['SCRIPT', 'STYLE', 'TITLE', 'NOSCRIPT', 'TEMPLATE']);
  const root = document.documentElement;
  const walker = root && document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let seen = 0, left = 24; walker && seen < 500 && left && walker.nextNode(); seen++) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!element || skipped.has(element.tagName) || !text.trim()) { continue; }
    const foreign = text.codePointAt(text.search(/[^\\u0000-\\u024f\\u2000-\\u206f\\u20a0-\\u20bf\\s]/u));
    const family = getComputedStyle(element).fontFamily;
    const name = `${family}\\n${foreign >> 7}`;
    if (name in found) { continue; }
    found[name] = foreign === undefined && there.has(unquoted(family)) ? true : element;
    left--;
  }
  return found;
})()"""


class Fonts:
    """Asks while the page is printed: nobody waits for it."""

    def __init__(self, tab: Tab) -> None:
        """Ask nothing yet."""
        self._tab = tab
        self._lock = threading.Lock()
        self._left = 0
        self._complete = threading.Event()
        self._complete.set()
        self._used: dict[tuple[str, str], None] = {}

    def look(self, elements: Mapping[str, Any]) -> None:
        """Begin to ask for the fonts of REPRESENTATIVES, as the browser has answered them."""
        if "objectId" not in elements.get("result", {}):
            return
        self._complete.clear()
        of_them = {"objectId": elements["result"]["objectId"], "ownProperties": True}
        self._tab.send("Runtime.getProperties", **of_them).add_done_callback(self._on_elements)

    def used(self) -> list[dict[str, str]]:
        """Return what is known by now, each pair once."""
        self._complete.wait(_PATIENCE_S)
        with self._lock:
            pairs = sorted(self._used)
        return [{"requested": requested, "used": used} for requested, used in pairs[:_MOST_FONTS]]

    def _on_elements(self, answer: Answer) -> None:
        found = [] if answer.exception() else answer.result()["result"]
        for each in found:
            if each.get("value", {}).get("value") is True:
                self._used[_family(each), _family(each)] = None
        elements = [each for each in found if "objectId" in each.get("value", {})]
        self._left = len(elements)
        if elements:
            self._tab.send("DOM.getDocument", depth=0)
        for element in elements:
            family = _family(element)
            asked = self._tab.send("DOM.requestNode", objectId=element["value"]["objectId"])
            asked.add_done_callback(partial(self._on_node, family))
        if not elements:
            self._complete.set()

    def _on_node(self, family: str, answer: Answer) -> None:
        if answer.exception():
            self._end()
            return
        asked = self._tab.send("CSS.getPlatformFontsForNode", **answer.result())
        asked.add_done_callback(partial(self._on_fonts, family))

    def _on_fonts(self, family: str, answer: Answer) -> None:
        if not answer.exception():
            with self._lock:
                for font in answer.result()["fonts"]:
                    self._used[family, font["familyName"]] = None
        self._end()

    def _end(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._complete.set()


def _family(found: Mapping[str, Any]) -> str:
    """Return the first family of a name that REPRESENTATIVES gave."""
    return str(found["name"]).partition("\n")[0].partition(",")[0].strip(" \"'")
