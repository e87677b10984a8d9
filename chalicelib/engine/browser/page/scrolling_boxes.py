"""Boxes that scroll: opened while a document is drawn, as paper and pictures do not scroll.

A warning names boxes that stay cut (decision 52). Documents that cannot have such boxes are not
looked at.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.markup_search import MarkupSearch
from chalicelib.engine.browser.page.cut_frames import cut_frames
from chalicelib.engine.browser.page.paper_layout import PaperLayout
from chalicelib.engine.browser.tab.animations import outcome_in_slices
from chalicelib.engine.browser.tab.emulation import Emulation
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

if TYPE_CHECKING:
    from chalicelib.core.json import Json

MAX_LOOKED_AT: Final = 200_000
MAX_OPENED: Final = 1_000
MAX_TOLD: Final = 20
# No picture is as high; a print may be.
ANY_HEIGHT: Final = 1e9
_SCROLLS: Final = MarkupSearch(r"overflow[\w-]{0,10}\s*:[^;}]{0,40}(?:auto|scroll)")
# Controls that scroll by themselves.
_CONTROLS: Final = MarkupSearch("<(?:textarea|dialog|select)", "popover")
# Scripts may write styles and frames, and linked files are not read.
_WRITTEN: Final = MarkupSearch(
    "overflow", "<(?:link|i?frame|object|embed)", "iframe", "@import", "<script[^>]{1,400}src"
)
_HAS_SCROLLED_BOX: Final = PageFunction[bool]("""(isLaidOut, maxElements) => {
  const root = Reflect.get(Document.prototype, 'documentElement', document);
  const isCut = (element) => element.scrollHeight > element.clientHeight + 1
    || element.scrollWidth > element.clientWidth + 1;
  let seen = 0;
  const hasScrolled = (tree) => {
    const all = tree === document ? Document.prototype : ShadowRoot.prototype;
    for (const element of all.querySelectorAll.call(tree, '*')) {
      if (++seen > maxElements) return false;
      if ((!isLaidOut || isCut(element)) && element !== root
        && /auto|scroll/.test(getComputedStyle(element).overflow)) return true;
      if (element.shadowRoot instanceof ShadowRoot && hasScrolled(element.shadowRoot)) return true;
    }
    return false;
  };
  return hasScrolled(document);
}""")
_CLOSE: Final = PageFunction[None](
    "() => { for (const close of globalThis.platenClosers ?? []) close(); }"
)
type Scrolling = Literal["never", "maybe", "certain"]


def scrolling_of(html: str, *, is_inert: bool) -> Scrolling:
    """Tell whether the text of a document says that boxes of it scroll, or that it has frames.

    An `is_inert` document is changed by neither scripts nor linked files.
    """
    text = html.lower()
    if _SCROLLS.finds(text):
        return "certain"
    may = _CONTROLS.finds(text) or (not is_inert and _WRITTEN.finds(text))
    return "maybe" if may else "never"


class ScrollingBoxes:
    """Boxes of one document that scroll; `warnings` name those that stayed cut."""

    def __init__(self, tab: Tab, emulation: Emulation) -> None:
        """Change nothing yet."""
        self._tab = tab
        self._emulation = emulation
        self.expected: Scrolling = "maybe"
        self.warnings: list[RenderWarning] = []

    @contextmanager
    def opened_for_paper(self, layout: PaperLayout, *, opens_text_areas: bool) -> Iterator[None]:
        """Open the boxes while the document is printed.

        Raises RenderFailure `render_failed` or `render_timeout`.
        """
        if not self._has_scrolled(is_laid_out=layout.is_current):
            yield
            self._tell(cut_frames(self._tab))
            return
        # What scrolls may depend on medium and width.
        self._emulation.set_print_media()
        layout.show_paper()
        with self._open_boxes(ANY_HEIGHT, opens_text_areas=opens_text_areas):
            yield
        self._tell(cut_frames(self._tab))
        self._emulation.restore()

    @contextmanager
    def opened_for_picture(self, max_height: float) -> Iterator[None]:
        """Open the boxes while a picture of the whole document is taken, if it is not higher.

        Raises as `opened_for_paper`.
        """
        self._tell(cut_frames(self._tab))
        if not self._has_scrolled(is_laid_out=True):
            yield
            return
        with self._open_boxes(max_height, opens_text_areas=True):
            yield

    def _has_scrolled(self, *, is_laid_out: bool) -> bool:
        if self.expected != "maybe":
            return self.expected == "certain"
        asked = self._tab.call_function(_HAS_SCROLLED_BOX, is_laid_out, MAX_LOOKED_AT)
        return self._tab.outcome(asked)["result"].get("value", False)

    @contextmanager
    def _open_boxes(self, max_height: float, *, opens_text_areas: bool) -> Iterator[None]:
        options: Json = {
            "maxElements": MAX_LOOKED_AT,
            "maxOpened": MAX_OPENED,
            "maxTold": MAX_TOLD,
            "maxHeight": max_height,
            "opensTextAreas": opens_text_areas,
        }
        answer = outcome_in_slices(self._tab, self._tab.call_function(_open_script(), options))
        self._tell(answer["result"].get("value") or ())
        yield
        self._tab.call_function(_CLOSE)

    def _tell(self, cut: Iterable[tuple[str, float]]) -> None:
        known = {warning.detail for warning in self.warnings}
        self.warnings += [_warning(*each) for each in cut if each[0] not in known]
        del self.warnings[MAX_TOLD:]


def _warning(place: str, pixels: float) -> RenderWarning:
    message = (
        f"{place} scrolls, and {pixels:.0f} pixels of its content are cut off. Make it as high and "
        "wide as its content."
    )
    return RenderWarning("content_clipped", message, place)


@cache
def _open_script() -> PageFunction[list[tuple[str, float]]]:
    return PageFunction(Path(__file__).with_name("scrolling_boxes.js").read_text())
