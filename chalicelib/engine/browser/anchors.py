"""What the links of a page are called, in the order of the document."""

from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.tab import Tab

_MOST: Final = 20_000
_MOST_CHARACTERS: Final = 500


def anchors(tab: Tab) -> list[tuple[str, str]]:
    """Return each link's address and text; addresses of the document's own origin are relative.

    A page that does not tell has none. Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(_function(), tab.spare.origin, _MOST, _MOST_CHARACTERS)
    try:
        found = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        return []
    return [(address, text) for address, text in found]


@cache
def _function() -> str:
    return Path(__file__).with_suffix(".js").read_text()
