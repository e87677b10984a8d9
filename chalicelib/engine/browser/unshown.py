"""Pictures of a canvas that cannot be shown: the browser's mark for them is no part of a design."""

from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.tab import Tab

# The address of each, or its layer where its content stands in the page itself.
_HIDE: Final = """() => {
  const images = Reflect.get(Document.prototype, 'images', document);
  const unshown = [...images].filter((image) => image.complete && !image.naturalWidth);
  for (const image of unshown) { image.style.visibility = 'hidden'; }
  return unshown.map(({src, dataset}) => src.startsWith('data:') ? dataset.layer : src);
}"""


def hide_unshown(tab: Tab) -> list[str]:
    """Hide the pictures that did not come or are none; return their addresses or layers.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    found = tab.outcome(tab.call_function(_HIDE))
    if "value" not in found["result"]:
        raise RenderFailure("render_failed", "the pictures of the canvas could not be looked at")
    addresses: list[str] = found["result"]["value"]
    return addresses
