"""Reasons why a selector of the request finds no element."""

from functools import cache
from pathlib import Path
from typing import Final, Literal

from chalicelib.core.text import cut_text
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.deadline import Deadline

type _Kind = Literal["shadow", "frame"]

_NO_MATCH: Final = "no element of the page matches it"
_PLACES: Final[dict[_Kind, str]] = {
    "shadow": "the shadow root of <{}>, and selectors do not enter shadow roots",
    "frame": "the frame <{}>, and selectors do not enter frames",
}
_MAX_CHARS: Final = 100


def unmatched_reason(tab: Tab, selector: str, deadline: Deadline) -> str:
    """Return why a valid selector finds nothing; raises TimeoutError, CallRefusedError."""
    answer = tab.wait_for(tab.call_function(_script(), selector), deadline)
    found = answer["result"].get("value")
    if not found:
        return _NO_MATCH
    holder, kind = found
    return f"{_NO_MATCH}; one is in {_PLACES[kind].format(holder)}"


def beginning_of(text: str) -> str:
    """Return the beginning of a selector or an expression, for a message."""
    return cut_text(text, _MAX_CHARS)


@cache
def _script() -> PageFunction[tuple[str, _Kind] | None]:
    return PageFunction(Path(__file__).with_name("unmatched_selector.js").read_text())
