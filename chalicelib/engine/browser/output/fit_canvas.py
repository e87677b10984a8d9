"""Texts of a canvas: made smaller where that is asked for, and which of them have no room."""

from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.tab import Tab

# Of its own size, no text becomes smaller than this.
MIN_FONT_SCALE: Final = 0.25


def fit_texts(tab: Tab) -> list[str]:
    """Fit the texts of the page into their boxes and return the layers of those that do not go in.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    found = tab.outcome(tab.call_function(_fit_texts_script(), MIN_FONT_SCALE))
    if "value" not in found["result"]:
        raise RenderFailure("render_failed", "the texts of the canvas could not be measured")
    layers: list[str] = found["result"]["value"]
    return layers


@cache
def _fit_texts_script() -> str:
    return Path(__file__).with_suffix(".js").read_text()


# The address of each, or its layer where its content stands in the page itself.
_HIDE_BROKEN_IMAGES: Final = """() => {
  const images = Reflect.get(Document.prototype, 'images', document);
  const unshown = [...images].filter((image) => image.complete && !image.naturalWidth);
  for (const image of unshown) { image.style.visibility = 'hidden'; }
  return unshown.map(({src, dataset}) => src.startsWith('data:') ? dataset.layer : src);
}"""


def hide_broken_images(tab: Tab) -> list[str]:
    """Hide the pictures that did not come or are none; return their addresses or layers.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    found = tab.outcome(tab.call_function(_HIDE_BROKEN_IMAGES))
    if "value" not in found["result"]:
        raise RenderFailure("render_failed", "the pictures of the canvas could not be looked at")
    addresses: list[str] = found["result"]["value"]
    return addresses
