"""A picture of a page, and how large it may be: what is too large takes no memory."""

from collections.abc import Collection, Mapping
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import Any, Final, NamedTuple

from pybase64 import b64decode

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.nodes import NodeCount
from chalicelib.engine.browser.page.tab import Tab
from chalicelib.engine.options.output import OutputOptions

_TRANSPARENT: Final = {"r": 0, "g": 0, "b": 0, "a": 0}
# An element's edges as the page counts them; null: there is none.
_ELEMENT_EDGES: Final = """(selector) => {
  const element = Document.prototype.querySelector.call(document, selector);
  if (element === null) { return null; }
  const {left, top, right, bottom} = element.getBoundingClientRect();
  return {left: left + scrollX, top: top + scrollY, right: right + scrollX,
    bottom: bottom + scrollY, scrollX, scrollY};
}"""


class PictureLimits(NamedTuple):
    """How large a picture may be."""

    max_side_pixels: int
    max_pixels: int


PICTURE_LIMITS: Final = PictureLimits(16_384, 64_000_000)
# A WebP counts its sides with 14 bits, and its encoder takes 25 bytes of memory for each pixel.
WEBP_LIMITS: Final = PictureLimits(16_383, 32_000_000)


def take_picture(tab: Tab, output: OutputOptions) -> bytes:
    """Take a picture as a PNG; raises RenderFailure `render_failed` or `render_timeout`."""
    NodeCount(tab).check_limit()
    if output.image.transparent:
        tab.send("Emulation.setDefaultBackgroundColorOverride", color=_TRANSPARENT)
    # What is compressed again need not be small.
    parameters: dict[str, Any] = {"format": "png", "optimizeForSpeed": "png" not in output.formats}
    clip = _clip_area(tab, output)
    if clip is not None:
        window = output.layout_viewport()
        scale = 1.0 if window is None else window.device_scale_factor
        check_size(clip["width"], clip["height"], scale, _formats_at_taken_size(output))
        parameters |= {"captureBeyondViewport": True, "clip": {**clip, "scale": 1}}
    taken = tab.send("Page.captureScreenshot", **parameters)
    return b64decode(tab.outcome(taken)["data"])


def check_sizes(output: OutputOptions) -> None:
    """Refuse what is known to be too large before the page is; raises as `check_size`."""
    window = output.layout_viewport()
    if window is None:
        return
    check_size(
        window.width, window.height, window.device_scale_factor, _formats_at_taken_size(output)
    )
    if output.image.fit_size is not None:
        check_size(*output.image.fit_size, window.device_scale_factor, output.formats)


def check_size(width: float, height: float, scale: float, formats: Collection[str] = ()) -> None:
    """Refuse what is too large, sides in CSS pixels; raises RenderFailure `render_failed`."""
    name, limits = ("webp", WEBP_LIMITS) if "webp" in formats else ("picture", PICTURE_LIMITS)
    across, down = round(width * scale), round(height * scale)
    if max(across, down) > limits.max_side_pixels:
        limit = f"{limits.max_side_pixels} pixels a side"
    elif across * down > limits.max_pixels:
        limit = f"{limits.max_pixels} pixels in all"
    else:
        return
    message = f"A {name} may have at most {limit}; this one would be {across} x {down} pixels."
    raise RenderFailure("render_failed", message)


def _formats_at_taken_size(output: OutputOptions) -> Collection[str]:
    """Return the formats that the picture becomes in the size in which it is taken."""
    return output.formats if output.image.fit_size is None else ()


def _clip_area(tab: Tab, output: OutputOptions) -> dict[str, Any] | None:
    """Return which part of the document is pictured; None: what the window shows."""
    if output.image.clip_selector is not None:
        return _element_area(tab, output.image.clip_selector)
    if output.image.full_page:
        size = tab.outcome(tab.send("Page.getLayoutMetrics"))["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
    return None


def _element_area(tab: Tab, selector: str) -> dict[str, Any]:
    asked = tab.call_function(_ELEMENT_EDGES, selector)
    measured = tab.send("Page.getLayoutMetrics")
    found = tab.outcome(asked)
    field = "output.image.clip_selector"
    if "exceptionDetails" in found:
        raise RenderFailure("render_failed", f"{field} is not a valid CSS selector")
    edges: Mapping[str, float] | None = found["result"]["value"]
    if edges is None:
        raise RenderFailure("render_failed", f"{field}: no element of the page matches it")
    if edges["left"] >= edges["right"] or edges["top"] >= edges["bottom"]:
        raise RenderFailure("render_failed", f"{field}: the element that it finds takes no room")
    place = _pixel_area(edges, tab.outcome(measured)["cssLayoutViewport"])
    if place["width"] <= 0 or place["height"] <= 0:
        message = f"{field}: the element that it finds lies outside of the document"
        raise RenderFailure("render_failed", message)
    return place


def _pixel_area(edges: Mapping[str, float], window: Mapping[str, int]) -> dict[str, Any]:
    """Return the whole pixels that an element touches, from the document's upper left corner.

    A document that is written from right to left may reach beyond where its page begins to count.
    Nobody sees what lies beyond the document; the browser would picture something else.
    """
    across = ceil(window["pageX"] - edges["scrollX"])
    down = ceil(window["pageY"] - edges["scrollY"])
    x = max(floor(edges["left"] + across), 0)
    y = max(floor(edges["top"] + down), 0)
    width = ceil(edges["right"] + across) - x
    return {"x": x, "y": y, "width": width, "height": ceil(edges["bottom"] + down) - y}


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
    return Path(__file__).with_name("fit_canvas.js").read_text()


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
