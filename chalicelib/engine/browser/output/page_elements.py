"""Elements of a page that findings of PDF/UA and PDF/A may be about, as their authors know them."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

from chalicelib.core.errors import RenderFailure
from chalicelib.core.redact_url import redacted_url
from chalicelib.core.text import cut_text
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab

MAX_ELEMENTS: Final = 2_000
MAX_TEXT_CHARS: Final = 80
_LEVEL: Final = re.compile(r"<h([1-6])\b")


# Name of an element, its attributes, and its text.
type _Element = tuple[str, list[tuple[str, str]], str]


class _Answer(TypedDict):
    headings: list[_Element]
    pictures: list[_Element]
    tables: list[tuple[_Element, list[int]]]
    hasOddTable: bool


class PageElements(NamedTuple):
    """Elements in the order of the document, as `<img src=…>` or `<h3>` with its text.

    Pictures are those without a text. Tables have the cells of each row.
    """

    headings: Sequence[str] = ()
    pictures: Sequence[str] = ()
    tables: Sequence[tuple[str, list[int]]] = ()
    has_odd_table: bool = False

    @property
    def may_be_found(self) -> bool:
        """Tell whether a validator may have something to say of an element."""
        return bool(self.pictures) or self.has_odd_table or self._skips_levels()

    def _skips_levels(self) -> bool:
        before = 0
        for heading in self.headings:
            level = _LEVEL.match(heading)
            if level is None or int(level[1]) > before + 1:
                return True
            before = int(level[1])
        return False


def page_elements(tab: Tab) -> PageElements:
    """Return the elements of a page; none when its scripts prevent it.

    Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(_script(), MAX_ELEMENTS, MAX_TEXT_CHARS)
    try:
        answer = tab.outcome(called)["result"].get("value")
    except RenderFailure as failure:
        # A report without these places is still one; a timeout fails the document.
        if failure.code != "render_failed":
            raise
        return PageElements()
    if answer is None:
        return PageElements()
    return PageElements(
        [_description(each) for each in answer["headings"]],
        [_description(each) for each in answer["pictures"]],
        [(_description(each), rows) for each, rows in answer["tables"]],
        answer["hasOddTable"],
    )


def _description(element: _Element) -> str:
    name, attributes, text = element
    written = "".join(
        f' {key}="{cut_text(redacted_url(value), MAX_TEXT_CHARS) if key == "src" else value}"'
        for key, value in attributes
    )
    return f"<{name}{written}>" + (f" “{text}”" if text else "")


@cache
def _script() -> PageFunction[_Answer | None]:
    return PageFunction(Path(__file__).with_name("page_elements.js").read_text())
