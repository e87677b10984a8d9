"""Window of a document that is printed: as wide as the content of its pages (decision 52)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.contract.options.image import Viewport, Window
from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.output.page_fit import content_pixels
from chalicelib.engine.browser.output.page_style import (
    PageStyle,
    expected_page_style,
    read_page_style,
)
from chalicelib.engine.browser.page.load_deadline import Load
from chalicelib.engine.browser.page.loading import await_frames, reach_end
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.tab.emulation import Emulation
from chalicelib.engine.browser.tab.tab import Tab, as_render_failures
from chalicelib.engine.deadline import Deadline

_RESTORE_BOXES: Final = PageFunction[None]("""() => {
  for (const [element, style] of window.slicedBoxes ?? []) {
    if (style === null) element.removeAttribute('style');
    else element.setAttribute('style', style);
  }
}""")
# Frames may have scripts too.
_SCRIPT: Final = re.compile(
    r"<(?:script|i?frame|object|embed)|on(?<=\Won)[a-z]{3,40}\s*=", re.IGNORECASE
)
_BOX_IN_LINE: Final = MarkupSearch("inline-(?:block|table|flex|grid)")


def may_slice_rows(html: str) -> bool:
    """Tell whether a document may have rows that must not break in a box that has no breaks."""
    return "break-inside" in html and _BOX_IN_LINE.finds(html.lower())


class PaperLayout:
    """Windows of one document; scripts see each change as a resized window."""

    def __init__(
        self, tab: Tab, requests: PageRequests, emulation: Emulation, output: OutputOptions
    ) -> None:
        """Change nothing yet."""
        self._tab = tab
        self._requests = requests
        self._emulation = emulation
        self._output = output
        self._is_for_paper = output.is_laid_out_for_paper

    def set_expected_window(self, html: str) -> None:
        """Set the window for the pages that a document's text lets expect; "" is unknown.

        A document with pictures that has no scripts stays in their window: its print is the same.
        """
        if html and self._output.has_pictures and not _may_run_scripts(html, self._output):
            self._is_for_paper = False
        if self._is_for_paper:
            expected = expected_page_style(html, self._output.pdf)
            self._emulation.set_window(self._load_window(expected))

    def fit_window(self, deadline: Deadline) -> None:
        """Set the window for the document's own page size, if it has one.

        Raises TimeoutError, CallRefusedError, RenderFailure `render_timeout`.
        """
        if not self._is_for_paper:
            return
        window = self._load_window(self._read_style())
        if window != (self._emulation.window or self._load_window(PageStyle())):
            self._emulation.set_window(window)
            await_frames(self._tab, deadline)

    def enter_paper(self) -> None:
        """Set the window for paper before a document with pictures is printed.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        if self._is_for_paper and self._output.has_pictures:
            self._change(self._window(self._read_style()))

    def leave_paper(self) -> None:
        """Set the window of pictures before one is taken; raises as `enter_paper`."""
        window = self._output.layout_viewport()
        if window is not None:
            self._change(window)

    @property
    def is_current(self) -> bool:
        """Tell whether the window is that of paper."""
        return self._is_for_paper and not self._output.has_pictures

    def show_paper(self) -> None:
        """Lay the document out as wide as its pages until the window is restored.

        Raises as `enter_paper`.
        """
        style = self._read_style()
        width, height = content_pixels(self._output.pdf, style)
        window = self._window(style)._replace(width=width, height=height)
        if window != self._emulation.window:
            self._emulation.show_in(window)

    @contextmanager
    def unsliced_boxes(self) -> Iterator[None]:
        """Let boxes that are higher than a page break like blocks while the document is printed.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        _, height = content_pixels(self._output.pdf, PageStyle())
        self._tab.outcome(self._tab.call_function(_unslice_script(), height))
        yield
        self._tab.call_function(_RESTORE_BOXES)

    def _read_style(self) -> PageStyle:
        return read_page_style(self._tab, self._output.pdf, self._output.media)

    def _window(self, style: PageStyle) -> Window:
        viewport = self._output.viewport or Viewport()
        return viewport.window(*content_pixels(self._output.pdf, style))

    def _load_window(self, style: PageStyle) -> Window:
        """Return the window for paper with the pixels of the pictures, for which scripts draw."""
        window, pictures = self._window(style), self._output.layout_viewport()
        if pictures is None:
            return window
        return window._replace(device_scale_factor=pictures.device_scale_factor)

    def _change(self, window: Window) -> None:
        if window == self._emulation.window:
            return
        self._emulation.set_window(window)
        load = Load(self._tab, self._requests, self._output)
        with as_render_failures():
            await_frames(self._tab, self._tab.deadline)
            reach_end(self._tab, load, has_scripts=True)


def _may_run_scripts(html: str, output: OutputOptions) -> bool:
    return output.javascript and _SCRIPT.search(html) is not None


@cache
def _unslice_script() -> PageFunction[None]:
    return PageFunction(Path(__file__).with_name("sliced_boxes.js").read_text())
