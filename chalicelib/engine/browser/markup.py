"""A page's document as HTML that runs nothing: what the browser's own sanitizer leaves of it."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.nodes import Count
from chalicelib.engine.browser.tab import Tab

MOST_CHARACTERS: Final = 50_000_000


def markup(tab: Tab, *, scripted: bool) -> str:
    """Return the document as it is now; raises RenderFailure `render_failed`, `output_too_large`.

    `scripted`: its scripts have run, so that what stands in their place is not shown.
    """
    Count(tab).insist()
    called = tab.call_function(_function(), tab.spare.origin, scripted, MOST_CHARACTERS)
    found: dict[str, Any] = tab.outcome(called)["result"].get("value") or {}
    if "characters" in found:
        message = (
            f"The page's document has {found['characters']} characters; as html it may have "
            f"{MOST_CHARACTERS}."
        )
        raise RenderFailure("output_too_large", message)
    if "html" not in found:
        message = "the format html: this page's document cannot be written without its scripts"
        raise RenderFailure("render_failed", message)
    html: str = found["html"]
    return html


@cache
def _function() -> str:
    return Path(__file__).with_suffix(".js").read_text()
