"""What a page shows and the browser gives no tag, though its author may mean it to be read.

Not told is what surely decorates: backgrounds, borders, bullets, pictures with an empty `alt`,
what is `aria-hidden`, and what stands in something that has a name.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.tab import Tab

_MAX_ELEMENTS: Final = 20_000
_MAX_SELECTOR_CHARS: Final = 500
_MAX_GAPS: Final = 100
# By what the page's function calls it.
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
    """Elements of one kind at one place, which is a CSS selector."""

    advice: str
    selector: str
    count: int


def accessibility_gaps(tab: Tab) -> list[AccessibilityGap]:
    """Return what has no tag; a page that does not tell has nothing.

    Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(
        _accessibility_gaps_script(), _MAX_ELEMENTS, _MAX_SELECTOR_CHARS, _MAX_GAPS
    )
    try:
        found = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        return []
    return [AccessibilityGap(_ADVICE[kind], place, count) for kind, place, count in found]


@cache
def _accessibility_gaps_script() -> str:
    return Path(__file__).with_name("accessibility_gaps.js").read_text()


_MAX_LINKS: Final = 20_000
_MAX_LINK_CHARS: Final = 500


def link_texts(tab: Tab) -> list[tuple[str, str]]:
    """Return each link's address and text; addresses of the document's own origin are relative.

    A page that does not tell has none. Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(
        _link_texts_script(), tab.prepared_page.origin, _MAX_LINKS, _MAX_LINK_CHARS
    )
    try:
        found = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        return []
    return [(address, text) for address, text in found]


@cache
def _link_texts_script() -> str:
    return Path(__file__).with_name("link_texts.js").read_text()
