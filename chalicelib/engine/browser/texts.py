"""Texts of a canvas: made smaller where that is asked for, and which of them have no room."""

from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.tab import Tab

# Of its own size, no text becomes smaller than this.
LEAST_SHARE: Final = 0.25


def fit_texts(tab: Tab) -> list[str]:
    """Fit the texts of the page into their boxes and return the layers of those that do not go in.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    found = tab.outcome(tab.call_function(_function(), LEAST_SHARE))
    if "value" not in found["result"]:
        raise RenderFailure("render_failed", "the texts of the canvas could not be measured")
    layers: list[str] = found["result"]["value"]
    return layers


@cache
def _function() -> str:
    return Path(__file__).with_suffix(".js").read_text()
