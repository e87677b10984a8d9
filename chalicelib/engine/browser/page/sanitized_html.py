"""Document of a page as HTML, without scripts and frames: the format `html`."""

from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.nodes import NodeCount
from chalicelib.engine.browser.tab.tab import Tab

MAX_HTML_CHARS: Final = 50_000_000


class _SanitizedHtml(TypedDict, total=False):
    html: str
    # The length of a document that is too long.
    characters: int


def sanitized_html(tab: Tab, *, ran_scripts: bool) -> str:
    """Return the document as it is now, without scripts and frames.

    With `ran_scripts` its `noscript` content is left out, as the page did not show it. Raises
    RenderFailure `render_failed` or `output_too_large`, OverBudget for too many nodes.
    """
    NodeCount(tab).check_limit()
    called = tab.call_function(
        _sanitize_script(), tab.prepared_page.origin, ran_scripts, MAX_HTML_CHARS
    )
    result: _SanitizedHtml = tab.outcome(called)["result"].get("value") or {}
    if "characters" in result:
        message = (
            f"The page's document has {result['characters']} characters; as html it may have "
            f"{MAX_HTML_CHARS}."
        )
        raise RenderFailure("output_too_large", message)
    if "html" not in result:
        message = "the format html: this page's document cannot be written without its scripts"
        raise RenderFailure("render_failed", message)
    return result["html"]


@cache
def _sanitize_script() -> PageFunction[_SanitizedHtml | None]:
    return PageFunction(Path(__file__).with_name("sanitized_html.js").read_text())
