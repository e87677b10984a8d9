"""What a page shows and the browser gives no tag, though its author may mean it to be read.

Not told is what surely decorates: backgrounds, borders, bullets, pictures with an empty `alt`,
what is `aria-hidden`, and what stands in something that has a name.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.tab import Tab

_MOST_ELEMENTS: Final = 20_000
_MOST_CHARACTERS: Final = 500
_MOST: Final = 100
# By what the page's function calls it.
_WHY: Final = {
    "drawing": "An svg that is read to nobody: give it role img and an aria-label, or aria-hidden "
    "where it only decorates",
    "filter": "What has a CSS filter is printed as a picture that is read to nobody: leave the "
    "filter out where it is printed",
    "frame": "What a frame shows is read to nobody: write it into the document itself",
    "select": "The choice of a select is read to nobody: write it as text",
    "generated": "Text that CSS generates is read to nobody: write it into the document",
}


@dataclass(frozen=True, slots=True)
class Untagged:
    """Elements of one kind at one place, which is a CSS selector."""

    why: str
    place: str
    count: int


def untagged(tab: Tab) -> list[Untagged]:
    """Return what has no tag; a page that does not tell has nothing.

    Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(_function(), _MOST_ELEMENTS, _MOST_CHARACTERS, _MOST)
    try:
        found = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        return []
    return [Untagged(_WHY[kind], place, count) for kind, place, count in found]


@cache
def _function() -> str:
    return Path(__file__).with_suffix(".js").read_text()
