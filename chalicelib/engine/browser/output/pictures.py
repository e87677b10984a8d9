"""Screenshots of a page within size limits; before: texts of a canvas, and broken pictures."""

import re
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypedDict

from pybase64 import b64decode

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.protocol import LayoutViewport, PageFunction
from chalicelib.engine.browser.requests.assets import UNREADABLE_PICTURE_REASON, PageAssets
from chalicelib.engine.browser.tab.animations import outcome_in_slices
from chalicelib.engine.browser.tab.nodes import NodeCount
from chalicelib.engine.browser.tab.selectors import beginning_of, unmatched_reason
from chalicelib.engine.browser.tab.tab import Tab, as_render_failures
from chalicelib.engine.picture_sizes import check_size, formats_at_taken_size

if TYPE_CHECKING:
    from chalicelib.core.json import Json

_TRANSPARENT: Final = {"r": 0, "g": 0, "b": 0, "a": 0}


class _ElementEdges(TypedDict):
    """Edges in CSS pixels from the page's origin, and the position that the page is scrolled to."""

    left: float
    top: float
    right: float
    bottom: float
    scrollX: float
    scrollY: float


# Null without a match.
_ELEMENT_EDGES: Final = PageFunction[_ElementEdges | None]("""(selector) => {
  const element = Document.prototype.querySelector.call(document, selector);
  if (element === null) { return null; }
  const {left, top, right, bottom} = element.getBoundingClientRect();
  return {left: left + scrollX, top: top + scrollY, right: right + scrollX,
    bottom: bottom + scrollY, scrollX, scrollY};
}""")
# Smallest font size of a shrunk text, as a share of its own size (decision 22).
MIN_FONT_SCALE: Final = 0.25
# Returns the URL of each broken image, or its layer for a data: URL.
_HIDE_BROKEN_IMAGES: Final = PageFunction[list[str]]("""() => {
  const images = Reflect.get(Document.prototype, 'images', document);
  const broken = [...images].filter((image) => image.complete && !image.naturalWidth);
  for (const image of broken) { image.style.visibility = 'hidden'; }
  return broken.map(({src, dataset}) => src.startsWith('data:') ? dataset.layer : src);
}""")

# The browser requests nothing for an empty address or one that cannot be read, and shows no error
# for a picture that is none.
type _Kind = Literal["empty", "address", "picture"]
_REASONS: Final[dict[_Kind, str]] = {
    "empty": "its address is empty",
    "address": "it is no address that can be read",
    "picture": UNREADABLE_PICTURE_REASON,
}
# The wait for the page reports a broken `<img>`. Patterns are faster than a text in lower case.
_ELEMENT: Final = re.compile(
    r"<(?:i(?:mage|nput)|s(?:cript|ource)|link|video|audio|embed|object)", re.IGNORECASE
)
_STYLE_PICTURE: Final = re.compile(r"\((?:[\s\"']|&quot;|&#39;)*data:image", re.IGNORECASE)


class PossibleParts(NamedTuple):
    """Parts of a document, besides images, that can fail without a request."""

    elements: bool
    style_pictures: bool


def take_picture(tab: Tab, output: OutputOptions) -> bytes:
    """Return a PNG of the page; raises RenderFailure `render_failed` or `render_timeout`."""
    NodeCount(tab).check_limit()
    if output.image.is_transparent:
        tab.send("Emulation.setDefaultBackgroundColorOverride", color=_TRANSPARENT)
    # A PNG that is encoded again in another format need not be small.
    parameters: dict[str, Json] = {"format": "png", "optimizeForSpeed": "png" not in output.formats}
    clip = _clip_area(tab, output)
    if clip is not None:
        window = output.layout_viewport()
        scale = 1.0 if window is None else window.device_scale_factor
        check_size(clip["width"], clip["height"], scale, formats_at_taken_size(output))
        parameters |= {"captureBeyondViewport": True, "clip": {**clip, "scale": 1}}
    capture = tab.send("Page.captureScreenshot", **parameters)
    return b64decode(tab.outcome(capture)["data"])


def fit_texts(tab: Tab) -> list[str]:
    """Fit the texts of a canvas into their boxes; return the layers whose text does not fit.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    answer = tab.outcome(tab.call_function(_fit_texts_script(), MIN_FONT_SCALE))
    if "value" not in answer["result"]:
        raise RenderFailure("render_failed", "the texts of the canvas could not be measured")
    return answer["result"]["value"]


def hide_broken_images(tab: Tab) -> list[str]:
    """Hide images that failed to load or decode; return their URLs or layers.

    The browser would draw a broken-image icon in their place.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    answer = tab.outcome(tab.call_function(_HIDE_BROKEN_IMAGES))
    if "value" not in answer["result"]:
        raise RenderFailure("render_failed", "the pictures of the canvas could not be looked at")
    return answer["result"]["value"]


def possible_parts(html: str, *, has_scripts: bool) -> PossibleParts:
    """Return the parts that are worth a look in a document."""
    return PossibleParts(
        has_scripts or _ELEMENT.search(html) is not None,
        _STYLE_PICTURE.search(html) is not None,
    )


def replace_missing_parts(
    tab: Tab, assets: PageAssets, parts: PossibleParts, *, has_broken_image: bool
) -> None:
    """Record parts that failed without a request, and put alternative texts for broken pictures.

    Raises RenderFailure `render_failed` or `render_timeout`.
    """
    if not any((has_broken_image, *parts)):
        return
    called = tab.call_function(
        _missing_parts_script(), [*assets.missing_urls()], parts.style_pictures
    )
    answer = outcome_in_slices(tab, called)
    if "value" not in answer["result"]:
        raise RenderFailure("render_failed", "the pictures of the page could not be looked at")
    for source, kind in answer["result"]["value"]:
        assets.record_unshown(source, _REASONS[kind])


def _clip_area(tab: Tab, output: OutputOptions) -> dict[str, float] | None:
    """Return the part of the document to capture; None for the viewport."""
    if output.image.clip_selector is not None:
        return _element_area(tab, output.image.clip_selector)
    if output.image.full_page:
        size = tab.outcome(tab.send("Page.getLayoutMetrics"))["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
    return None


def _element_area(tab: Tab, selector: str) -> dict[str, float]:
    edges_answer = tab.call_function(_ELEMENT_EDGES, selector)
    metrics_answer = tab.send("Page.getLayoutMetrics")
    result = tab.outcome(edges_answer)
    field = "output.image.clip_selector"
    if "exceptionDetails" in result:
        raise RenderFailure("render_failed", f"{field} is not a valid CSS selector")
    edges = result["result"]["value"]
    if edges is None:
        with as_render_failures():
            reason = unmatched_reason(tab, selector, tab.deadline)
        raise RenderFailure("render_failed", f'{field} "{beginning_of(selector)}": {reason}')
    if edges["left"] >= edges["right"] or edges["top"] >= edges["bottom"]:
        raise RenderFailure("render_failed", f"{field}: the element that it finds takes no room")
    area = _pixel_area(edges, tab.outcome(metrics_answer)["cssLayoutViewport"])
    if area["width"] <= 0 or area["height"] <= 0:
        message = f"{field}: the element that it finds lies outside of the document"
        raise RenderFailure("render_failed", message)
    return area


def _pixel_area(edges: _ElementEdges, window: LayoutViewport) -> dict[str, float]:
    """Return the whole pixels that an element touches, from the document's upper left corner.

    A right-to-left document can extend left of its origin, at negative coordinates. The area is cut
    at the document's edge, as the browser captures something else beyond it.
    """
    across = ceil(window["pageX"] - edges["scrollX"])
    down = ceil(window["pageY"] - edges["scrollY"])
    x = max(floor(edges["left"] + across), 0)
    y = max(floor(edges["top"] + down), 0)
    width = ceil(edges["right"] + across) - x
    return {"x": x, "y": y, "width": width, "height": ceil(edges["bottom"] + down) - y}


@cache
def _fit_texts_script() -> PageFunction[list[str]]:
    return PageFunction(Path(__file__).with_name("fit_canvas.js").read_text())


@cache
def _missing_parts_script() -> PageFunction[list[tuple[str, _Kind]]]:
    return PageFunction(Path(__file__).with_name("missing_parts.js").read_text())
