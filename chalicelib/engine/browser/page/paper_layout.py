"""Window of a document that is printed: as wide as the content of its pages (decision 52)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.contract.options.image import Viewport
from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.output.page_style import (
    PageStyle,
    expected_page_style,
    read_page_style,
)
from chalicelib.engine.browser.page.emulation import Emulation
from chalicelib.engine.browser.page.loading import Load, await_frames, reach_end
from chalicelib.engine.browser.page.tab import Tab, as_render_failures
from chalicelib.engine.deadline import Deadline

_RESTORE_BOXES: Final = PageFunction[None]("""() => {
  for (const [element, style] of window.slicedBoxes ?? []) {
    if (style === null) element.removeAttribute('style');
    else element.setAttribute('style', style);
  }
}""")
_BOX_IN_LINE: Final = re.compile(r"inline-(?:block|table|flex|grid)", re.IGNORECASE)


def may_slice_rows(html: str) -> bool:
    """Tell whether a document may have rows that must not break in a box that has no breaks."""
    return "break-inside" in html and _BOX_IN_LINE.search(html) is not None


class PaperLayout:
    """Windows of one document; scripts see each change as a resized window."""

    def __init__(self, tab: Tab, emulation: Emulation, output: OutputOptions) -> None:
        """Change nothing yet."""
        self._tab = tab
        self._emulation = emulation
        self._output = output
        self._expected = PageStyle()

    def set_expected_window(self, html: str) -> None:
        """Set the window for the pages that a document's text lets expect; "" is unknown."""
        if self._output.is_laid_out_for_paper:
            self._expected = expected_page_style(html, self._output.pdf)
            self._emulation.set_window(self._window(self._expected))

    def fit_window(self, deadline: Deadline) -> None:
        """Set the window for the document's own page size, if it has one.

        Raises TimeoutError, CallRefused, RenderFailure `render_timeout`.
        """
        if not self._output.is_laid_out_for_paper:
            return
        window = self._window(read_page_style(self._tab, self._output.pdf))
        if window != self._window(self._expected):
            self._emulation.set_window(window)
            await_frames(self._tab, deadline)

    @contextmanager
    def between_pictures(self) -> Iterator[None]:
        """Set the window for paper while a document with pictures is printed.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        output, picture_window = self._output, self._output.layout_viewport()
        if output.viewport is not None or not output.has_pictures or picture_window is None:
            yield
            return
        self._change(self._window(read_page_style(self._tab, output.pdf)))
        yield
        self._change(picture_window)

    @contextmanager
    def unsliced_boxes(self) -> Iterator[None]:
        """Let boxes that are higher than a page break like blocks while the document is printed.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        height = self._window(PageStyle()).height
        self._tab.outcome(self._tab.call_function(_unslice_script(), height))
        yield
        self._tab.call_function(_RESTORE_BOXES)

    def _window(self, style: PageStyle) -> Viewport:
        width, height = style.content_pixels(self._output.pdf)
        return Viewport(width, height)

    def _change(self, window: Viewport) -> None:
        self._emulation.set_window(window)
        deadline = self._tab.deadline
        with as_render_failures():
            await_frames(self._tab, deadline)
            reach_end(self._tab, Load(self._output, deadline, lambda: None), has_scripts=True)


@cache
def _unslice_script() -> PageFunction[None]:
    return PageFunction(Path(__file__).with_name("sliced_boxes.js").read_text())
