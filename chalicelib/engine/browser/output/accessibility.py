"""Accessibility gaps and link texts of a page, for PDF/UA output.

A gap is visible content that Chromium prints without a tag, though its author may mean it to be
read. Pure decoration is no gap: backgrounds, borders, bullets, images with an empty `alt`, content
that is `aria-hidden`, and content of an element with a name.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab

_MAX_ELEMENTS: Final = 20_000
_MAX_SELECTOR_CHARS: Final = 500
_MAX_GAPS: Final = 100
_MAX_LINKS: Final = 20_000
_MAX_LINK_CHARS: Final = 500
# By the kinds that accessibility_gaps.js returns.
_ADVICE: Final = {
    "drawing": "An svg that is read to nobody: give it role img and an aria-label, or aria-hidden "
    "where it only decorates",
    "filter": "What has a CSS filter is printed as a picture that is read to nobody: leave the "
    "filter out where it is printed",
    "frame": "What a frame shows is read to nobody: write it into the document itself",
    "select": "The choice of a select is read to nobody: write it as text",
    "generated": "Text that CSS generates is read to nobody: write it into the document",
}


@dataclass(frozen=True, slots=True)
class AccessibilityGap:
    """Gaps of one kind; `count` elements have the same `selector` (CSS)."""

    advice: str
    selector: str
    count: int


def accessibility_gaps(tab: Tab) -> list[AccessibilityGap]:
    """Return the gaps of a page; none when its scripts prevent the inspection.

    Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(
        _accessibility_gaps_script(), _MAX_ELEMENTS, _MAX_SELECTOR_CHARS, _MAX_GAPS
    )
    try:
        gaps = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        # A report that cannot be made does not fail the document; a timeout does.
        if failure.code != "render_failed":
            raise
        return []
    return [AccessibilityGap(_ADVICE[kind], selector, count) for kind, selector, count in gaps]


def link_texts(tab: Tab) -> list[tuple[str, str]]:
    """Return URL and text of each link; URLs of the document's own origin are relative.

    Return none when the page's scripts prevent the inspection. Raises RenderFailure
    `render_timeout`.
    """
    called = tab.call_function(
        _link_texts_script(), tab.prepared_page.origin, _MAX_LINKS, _MAX_LINK_CHARS
    )
    try:
        links = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        return []
    return [(url, text) for url, text in links]


@cache
def _accessibility_gaps_script() -> PageFunction[list[tuple[str, str, int]] | None]:
    return PageFunction(Path(__file__).with_name("accessibility_gaps.js").read_text())


@cache
def _link_texts_script() -> PageFunction[list[tuple[str, str]] | None]:
    return PageFunction(Path(__file__).with_name("link_texts.js").read_text())
