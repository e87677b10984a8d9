"""A picture of a page, and how large it may be: what is too large takes no memory."""

from base64 import b64decode
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.tab import Tab
from chalicelib.engine.options.output import Output

MOST_SIDE_PIXELS: Final = 16_384
MOST_PIXELS: Final = 64_000_000


def picture(tab: Tab, format_: str, output: Output) -> bytes:
    """Take a picture; raises RenderFailure `render_failed` or `render_timeout`."""
    options, window = output.image, output.window()
    if options.transparent:
        nothing = {"r": 0, "g": 0, "b": 0, "a": 0}
        tab.send("Emulation.setDefaultBackgroundColorOverride", color=nothing)
    parameters: dict[str, Any] = {"format": format_}
    if options.full_page:
        metrics = tab.outcome(tab.send("Page.getLayoutMetrics"))
        size = metrics["cssContentSize"]
        scale = 1.0 if window is None else window.device_scale_factor
        check_size(size["width"], size["height"], scale)
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        parameters |= {"captureBeyondViewport": True, "clip": clip}
    taken = tab.send("Page.captureScreenshot", **parameters)
    return b64decode(tab.outcome(taken)["data"])


def check_size(width: float, height: float, scale: float) -> None:
    """Refuse what is too large, sides in CSS pixels; raises RenderFailure `render_failed`."""
    across, down = round(width * scale), round(height * scale)
    if max(across, down) > MOST_SIDE_PIXELS:
        limit = f"{MOST_SIDE_PIXELS} pixels a side"
    elif across * down > MOST_PIXELS:
        limit = f"{MOST_PIXELS} pixels in all"
    else:
        return
    message = f"A picture may have at most {limit}; this one would be {across} x {down} pixels."
    raise RenderFailure("render_failed", message)
