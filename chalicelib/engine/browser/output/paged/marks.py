"""Marks on the elements that rules of paged CSS match: links that a print turns into places."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

from chalicelib.core.json import Json
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab

MAX_MARKS: Final = 10_000
# Of a text that an element gives to a name.
MAX_TEXT_CHARS: Final = 1_000
_REMOVE_MARKS: Final = PageFunction[None]("""() => {
  const {named, links} = globalThis.platenMarks;
  for (const element of named) Element.prototype.removeAttribute.call(element, 'id');
  links.remove();
}""")


class ElementDetails(TypedDict, total=False):
    """Properties of a marked element, by the kind of its rule."""

    # Of a named string: names and texts, and the margin above the element in CSS pixels.
    strings: list[tuple[str, str]]
    margin: float
    # Of a break: whether its page is a recto, and whether a blank page can stand before it.
    isRecto: bool
    isPossible: bool
    # Of a page number: whether the element stands on every page.
    isFixed: bool
    # Of a running element: whether a page number stands in it.
    counts: bool
    # Of a named page: the name, empty behind its end.
    page: str


class MarkedElement(NamedTuple):
    """Marked element: the number of its rule, the fragment of its link, and its details."""

    rule: int
    fragment: str
    details: ElementDetails


class MarkedElements(NamedTuple):
    """Marks in the order of the document; those behind the limit are left out."""

    marks: Sequence[MarkedElement] = ()
    is_truncated: bool = False
    is_rtl: bool = False


class _Marked(TypedDict):
    marks: list[tuple[int, str, ElementDetails]]
    truncated: bool
    isRtl: bool


@contextmanager
def marked_elements(tab: Tab, rules: list[Json]) -> Iterator[MarkedElements]:
    """Mark the elements of rules meanwhile; none where the document's scripts prevent it.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    marked = tab.outcome(tab.call_function(_mark_script(), rules, MAX_MARKS, MAX_TEXT_CHARS))
    value = marked["result"].get("value")
    yield (
        MarkedElements()
        if value is None
        else MarkedElements(
            [MarkedElement(*mark) for mark in value["marks"]], value["truncated"], value["isRtl"]
        )
    )
    tab.call_function(_REMOVE_MARKS)


@cache
def _mark_script() -> PageFunction[_Marked]:
    return PageFunction(Path(__file__).with_name("marks.js").read_text())
