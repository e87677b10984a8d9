"""Time for the loading of a document, and the cut-off of files that do not come within it."""

from collections.abc import Callable
from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.output.page_fit import default_page_css
from chalicelib.engine.browser.output.page_style import may_have_page_rules
from chalicelib.engine.browser.requests.requests import PageRequests
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.deadline import Deadline

# After the first cut-off, what waited for the missing files is loaded. After the second one nothing
# is loaded any more, and a page that is not busy needs milliseconds.
_GRACES_S: Final = (0.75, 2.0)


class Load:
    """One loading of a document: its options and its deadline, which a cut-off moves."""

    def __init__(
        self,
        tab: Tab,
        requests: PageRequests,
        output: OutputOptions,
        fit_window: Callable[[Deadline], None] | None = None,
    ) -> None:
        """Begin the time of `wait.timeout_ms`.

        `fit_window` is called when style sheets and assets are there, before any condition is
        awaited. Without it the document is loaded already and shown in another window: parts that
        are missing there fail no render.
        """
        self._tab = tab
        self._requests = requests
        self._fit_window = fit_window
        self._graces_s = iter(_GRACES_S)
        self.output = output
        self.deadline = tab.deadline.within(output.page_wait.timeout_ms / 1000)
        self.is_cut_off = False
        # Nothing is loaded any more, so nothing is awaited.
        self.is_ended = False

    def run[Result](self, step: Callable[[Deadline], Result], *, min_open_s: float = 0.0) -> Result:
        """Return the result of a step that waits; call it again after a cut-off.

        A step without any request that has been open for `min_open_s` waits for something else.
        Raises TimeoutError, and RenderFailure `asset_fetch_failed` with strict assets.
        """
        while True:
            try:
                return step(self.deadline)
            except TimeoutError:
                if not self._extend(min_open_s):
                    raise

    def fit_window(self) -> None:
        """Fit the window; raises as `run`."""
        if self._fit_window is not None:
            self.run(self._fit_window)

    def add_time(self, seconds: float) -> None:
        """Move the deadline."""
        self.deadline = self._tab.deadline.within(self.deadline.remaining_s() + seconds)

    def page_css(self, html: str) -> str:
        """Return the style sheet of the pages that a document without scripts is printed on.

        It is empty for a document that may have page rules of its own.
        """
        if "pdf" not in self.output.formats or may_have_page_rules(html):
            return ""
        return default_page_css(self.output.pdf)

    def _extend(self, min_open_s: float) -> bool:
        """Cut off the missing parts; return whether there is more time."""
        if self._tab.deadline.has_passed or self._requests.is_page_open:
            return False
        is_loaded = self._fit_window is None
        wait = self.output.page_wait
        reason = f"it did not come within wait.timeout_ms ({wait.timeout_ms})"
        if self.is_cut_off:
            self._requests.end(reason)
            self.is_ended = True
        elif any(part.open_s >= min_open_s for part in self._requests.open_parts()):
            self._requests.cut_off(reason)
        else:
            # Another window takes as long as it takes.
            self.deadline = self._tab.deadline
            return is_loaded
        self.is_cut_off = True
        seconds = next(self._graces_s, None)
        if seconds is None:
            return False
        self.deadline = self._tab.deadline.within(seconds)
        return is_loaded or not self.output.strict_assets or self._fail_unless_busy()

    def _fail_unless_busy(self) -> bool:
        """Raise RenderFailure `asset_fetch_failed`; return False where a script does not yield."""
        if self._tab.yields(self.deadline):
            self._requests.check_complete()
        return False
