"""Placeholders of a template, `{{ … }}`, that are left in a document without data."""

from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.animations import wait_in_slices
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

MAX_PLACEHOLDERS: Final = 20
_MAX_TEXTS: Final = 100_000
_MAX_CHARS: Final = 80
_TIMEOUT_S: Final = 2.0
_MARK: Final = "{{"


def may_have_placeholders(html: str) -> bool:
    """Tell whether a document may hold placeholders."""
    return _MARK in html


def placeholder_warnings(tab: Tab) -> list[RenderWarning]:
    """Return a warning for each placeholder that the document shows, at most 20."""
    called = tab.call_function(_script(), _MAX_TEXTS, MAX_PLACEHOLDERS, _MAX_CHARS)
    try:
        answer = wait_in_slices(tab, called, tab.deadline.within(_TIMEOUT_S))
    except (CallRefusedError, TimeoutError):
        # The document can be drawn; a missing warning must not fail it.
        return []
    return [
        RenderWarning("placeholder_left", _message(placeholder, place), place)
        for placeholder, place in answer["result"].get("value") or ()
    ]


def _message(placeholder: str, place: str) -> str:
    return (
        f"{place} has {placeholder}: without data a document is no template. Send `data`, or "
        "`templating` true."
    )


@cache
def _script() -> PageFunction[list[tuple[str, str]]]:
    folder = Path(__file__).parent
    selector = folder.joinpath("selector.js").read_text()
    script = folder.joinpath("placeholders.js").read_text()
    return PageFunction(script.replace("SELECTOR", selector.partition("\n")[2].strip()))
