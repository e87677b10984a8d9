"""Texts of a page that its PDF repeats: metadata of its head, and headings for the outline."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_elements import PageElements
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.pdf.text.marked_elements import StructureMarks

MAX_HEADINGS: Final = 5_000
_MAX_HEADING_CHARS: Final = 2_000
# Expression for a script that defines `own`, a reader of document members through the prototype.
# Returns the contents of the elements `meta` by name, as long as the contract allows.
HEAD_METADATA: Final = """(() => {
  const MAX_CHARS = 1000, MAX_ELEMENTS = 100;
  const all = Document.prototype.querySelectorAll.call(document,
    'meta[name=author i], meta[name=description i], meta[name=keywords i]');
  const texts = {};
  for (const meta of [...all].slice(0, MAX_ELEMENTS)) {
    const name = meta.name.toLowerCase(), text = meta.content.replace(/\\s+/g, ' ').trim();
    if (!text || (name === 'description' && texts[name])) continue;
    texts[name] = (texts[name] ? `${texts[name]}, ${text}` : text).slice(0, MAX_CHARS);
  }
  return texts;
})()"""


class PageTexts(NamedTuple):
    """Headings in the order of the document, and `author`, `description` and `keywords`.

    `structure` has the elements that were marked for their types, `elements` those that findings
    may be about.
    """

    headings: Sequence[str] = ()
    metadata: Mapping[str, str] = {}
    structure: StructureMarks = StructureMarks()
    elements: PageElements = PageElements()


def heading_texts(tab: Tab) -> Sequence[str]:
    """Return the texts of the headings; none when the page's scripts prevent it.

    Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(_heading_script(), MAX_HEADINGS, _MAX_HEADING_CHARS)
    try:
        return tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        # Titles without some blanks do not fail the document; a timeout does.
        if failure.code != "render_failed":
            raise
        return []


@cache
def _heading_script() -> PageFunction[list[str] | None]:
    return PageFunction(Path(__file__).with_name("heading_texts.js").read_text())
