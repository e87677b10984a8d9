"""Repeated backgrounds of drawings and gradients, printed sharp.

The browser prints a repeated picture as a pattern. Other repeated backgrounds are drawn as one
picture of the page with 72 dots an inch. So a document whose print has patterns is looked at; where
such a background is found, it becomes a picture, and the document is printed again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.animations import outcome_in_slices
from chalicelib.engine.browser.tab.tab import Tab

# 384 pixels an inch.
_PIXEL_RATIO: Final = 4
MAX_ELEMENTS: Final = 20_000
MAX_TILES: Final = 300
# A document may have a drawing of megabytes in the background of each element.
_MAX_CHARS: Final = 10_000_000
_MAX_PIXELS: Final = 16_000_000
_MAX_SIDE_PIXELS: Final = 4_096
_MAX_WAIT_MS: Final = 500
_PATTERN: Final = b"/PatternType 1\n"
_RESTORE: Final = PageFunction[None]("""() => {
  for (const [element, style] of window.platenBackgrounds ?? []) {
    // Written before it is removed, or an empty one stays.
    element.getAttribute('style');
    if (style === null) element.removeAttribute('style');
    else element.setAttribute('style', style);
  }
}""")


def has_patterns(content: bytes) -> bool:
    """Tell whether a document that only the browser has saved has something that repeats."""
    return _PATTERN in content


@contextmanager
def sharp_backgrounds(tab: Tab) -> Iterator[bool]:
    """Give the document sharp backgrounds meanwhile; yield whether it has any.

    Raises RenderFailure `render_timeout`.
    """
    limits = (MAX_ELEMENTS, MAX_TILES, _MAX_CHARS, _MAX_PIXELS, _MAX_SIDE_PIXELS, _MAX_WAIT_MS)
    try:
        answer = outcome_in_slices(tab, tab.call_function(_script(), _PIXEL_RATIO, *limits))
        count = answer["result"].get("value", 0)
    except RenderFailure as failure:
        if failure.code != "render_failed":
            raise
        count = 0
    yield count > 0
    tab.call_function(_RESTORE)


@cache
def _script() -> PageFunction[int]:
    return PageFunction(Path(__file__).with_name("sharp_backgrounds.js").read_text())
