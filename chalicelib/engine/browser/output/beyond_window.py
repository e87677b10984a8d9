"""Parts of a page below its window: laid out and painted before a picture shows them (decision 52).

The browser paints frames of other documents only where the window shows them, and lays out
`content-visibility: auto` only near it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from math import ceil
from pathlib import Path
from typing import Final, Literal

from chalicelib.contract.options.image import Window
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.chromium.pipe import CallRefusedError
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.tab.animations import wait_in_slices
from chalicelib.engine.browser.tab.emulation import Emulation
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.picture_sizes import max_height

MAX_LOOKED_AT: Final = 200_000
MAX_FRAMES: Final = 200
# Where a frame of another process paints nothing by then, frames stay blank.
_MAX_PAINT_S: Final = 2.0
_MAY_SKIP: Final = MarkupSearch("content-visibility", "<link", "@import", "<script[^>]{1,400}src")
_FRAMES: Final = """async () => {
  for (let number = 0; number < 3; number++) await new Promise(requestAnimationFrame);
}"""
_AWAIT_FRAMES: Final = PageFunction[None](_FRAMES)
_AWAIT_IN_FRAME: Final[JsonObject] = {"expression": f"({_FRAMES})()", "awaitPromise": True}
_BLANK: Final = RenderWarning(
    "content_clipped",
    "A frame below the window did not draw in time, so frames there may be blank.",
    "iframe",
)
type _Step = Literal["skipped", "frames", "keepHeights", "undo"]


def may_skip_layout(html: str) -> bool:
    """Tell whether a document may have parts that are laid out only near the window."""
    return _MAY_SKIP.finds(html.lower())


@contextmanager
def shown_beyond_window(
    tab: Tab, emulation: Emulation, output: OutputOptions, *, may_skip: bool
) -> Iterator[list[RenderWarning]]:
    """Show all of the page while a picture of more than the window is taken.

    Yields a warning if a frame may be blank. Raises RenderFailure `render_failed` or
    `render_timeout`.
    """
    has_changed = may_skip and _take_step(tab, "skipped")
    has_frames = tab.has_feature("hasFrames") and _take_step(tab, "frames")
    # After a script was stopped the browser paints no window of another size.
    is_shown = has_frames and not tab.has_stopped_script and _enlarge_window(tab, emulation, output)
    if has_frames and not is_shown:
        emulation.restore()
    yield [_BLANK] if has_frames and not is_shown else []
    if has_changed or has_frames:
        _take_step(tab, "undo")
    if is_shown:
        emulation.restore()


def _enlarge_window(tab: Tab, emulation: Emulation, output: OutputOptions) -> bool:
    """Make the window as high as the page; return whether all of it has painted."""
    size = tab.outcome(tab.send("Page.getLayoutMetrics"))["cssContentSize"]
    window = output.layout_viewport() or Window()
    height = max(window.height, ceil(min(size["height"], max_height(output))))
    emulation.show_in(window._replace(height=height))
    if not _has_painted(tab):
        return False
    return not _take_step(tab, "keepHeights") or _has_painted(tab)


def _has_painted(tab: Tab) -> bool:
    """Wait until the page and its frames of other processes have painted."""
    page = tab.prepared_page
    answers = [
        page.pipe.send("Runtime.evaluate", _AWAIT_IN_FRAME, session)
        for session in page.frame_sessions[:MAX_FRAMES]
    ]
    deadline = tab.deadline.within(_MAX_PAINT_S)
    try:
        for answer in answers:
            # A frame may be gone, or be a worker.
            with suppress(CallRefusedError):
                wait_in_slices(tab, answer, deadline)
        wait_in_slices(tab, tab.call_function(_AWAIT_FRAMES), deadline)
    except (CallRefusedError, TimeoutError):
        return False
    return True


def _take_step(tab: Tab, step: _Step) -> bool:
    answer = tab.outcome(tab.call_function(_script(), step, MAX_LOOKED_AT))
    return answer["result"].get("value", False)


@cache
def _script() -> PageFunction[bool]:
    return PageFunction(Path(__file__).with_name("beyond_window.js").read_text())
