"""A page's document as HTML that runs nothing: what the browser's own sanitizer leaves of it."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.nodes import NodeCount
from chalicelib.engine.browser.page.tab import Tab

MAX_HTML_CHARS: Final = 50_000_000


def sanitized_html(tab: Tab, *, ran_scripts: bool) -> str:
    """Return the document as it is now; raises RenderFailure `render_failed`, `output_too_large`.

    `scripted`: its scripts have run, so that what stands in their place is not shown.
    """
    NodeCount(tab).check_limit()
    called = tab.call_function(
        _sanitize_script(), tab.prepared_page.origin, ran_scripts, MAX_HTML_CHARS
    )
    found: dict[str, Any] = tab.outcome(called)["result"].get("value") or {}
    if "characters" in found:
        message = (
            f"The page's document has {found['characters']} characters; as html it may have "
            f"{MAX_HTML_CHARS}."
        )
        raise RenderFailure("output_too_large", message)
    if "html" not in found:
        message = "the format html: this page's document cannot be written without its scripts"
        raise RenderFailure("render_failed", message)
    html: str = found["html"]
    return html


@cache
def _sanitize_script() -> str:
    return Path(__file__).with_suffix(".js").read_text()
