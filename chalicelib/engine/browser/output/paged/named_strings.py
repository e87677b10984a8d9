"""Named strings: `string-set` of elements and `string()` in margin boxes (CSS GCPM 3)."""

from collections.abc import Iterator, Sequence
from typing import Final

from chalicelib.core.text import cut_text
from chalicelib.engine.browser.output.paged.assignments import (
    Assignment,
    Occurrence,
    occurrence,
    values_by_page,
)
from chalicelib.engine.browser.output.paged.margin_boxes import page_texts_css, replace_calls
from chalicelib.engine.browser.output.paged.marks import MAX_TEXT_CHARS, MarkedElement
from chalicelib.engine.browser.output.paged.printed_links import PrintedLinks
from chalicelib.engine.browser.output.paged.rules import MAX_RULE_CHARS, MAX_WARNINGS
from chalicelib.engine.context import RenderWarning

_POINTS_PER_PIXEL: Final = 0.75
# Rounding of the browser, and half-leading.
_TOP_TOLERANCE_PT: Final = 2.0
MAX_USES: Final = 50
# The browser drops a content with it.
_UNKNOWN: Final = "string()"


class NamedStrings:
    """Strings of a document, by the names and occurrences that its margin boxes use."""

    def __init__(self) -> None:
        """Start without any use."""
        self._uses: dict[tuple[str, Occurrence], str] = {}
        self._texts: dict[str, list[Assignment[str]]] = {}
        self._pages = 0
        self._cut_names: dict[str, None] = {}

    @property
    def warnings(self) -> list[RenderWarning]:
        """Return a warning for each string whose text is cut off."""
        message = f"A named string is longer than {MAX_TEXT_CHARS} characters; the rest is cut off."
        names = list(self._cut_names)[:MAX_WARNINGS]
        return [RenderWarning("text_overflow", message, name[:MAX_RULE_CHARS]) for name in names]

    def drawn_content(self, content: str) -> str:
        """Return the content of a margin box with counters in place of strings."""
        return replace_calls(content, "string", self._counter)

    def read(
        self, marks: Sequence[MarkedElement], links: PrintedLinks, margin_top_pt: float
    ) -> None:
        """Take the texts of the pages from a print; `margin_top_pt` is that of the pages."""
        self._pages, self._texts = links.pages, {}
        for mark in marks:
            place = links.places.get(mark.fragment)
            if place is None:
                continue
            above_pt = margin_top_pt + mark.details.get("margin", 0) * _POINTS_PER_PIXEL
            is_at_top = place.top_pt <= above_pt + _TOP_TOLERANCE_PT
            for name, text in mark.details.get("strings", ()):
                if len(text) > MAX_TEXT_CHARS:
                    self._cut_names[name] = None
                assignment = Assignment(place.page, cut_text(text, MAX_TEXT_CHARS), is_at_top)
                self._texts.setdefault(name, []).append(assignment)

    def css(self) -> Iterator[str]:
        """Yield the counter styles that the contents of the margin boxes name."""
        for (name, which), style in self._uses.items():
            texts = values_by_page(self._texts.get(name, []), self._pages, which)
            yield page_texts_css(style, [text or "" for text in texts])

    def _counter(self, _: str, arguments: list[str]) -> str:
        name, *keywords = arguments
        which = occurrence(",".join(keywords))
        if which is None:
            return _UNKNOWN
        use = (name, which)
        if use not in self._uses:
            if len(self._uses) == MAX_USES:
                return _UNKNOWN
            self._uses[use] = f"platen-string-{len(self._uses)}"
        return f"counter(page, {self._uses[use]})"
