"""Limit on the DOM nodes of a page, checked before and after it is printed (decision 19)."""

from typing import Final

from chalicelib.engine.browser.chromium.memory import OverBudget
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefusedError
from chalicelib.engine.browser.chromium.protocol import CallResult
from chalicelib.engine.browser.tab.tab import Tab

MAX_NODES: Final = 1_000_000
# A frame of another site that does not answer in time does not fail the document.
_FRAME_TIMEOUT_S: Final = 1.0


class NodeCount:
    """DOM nodes of a page at the moment it answers, frames and shadow trees included.

    The browser counts per renderer process: one for the page and all frames of its site, one for
    each other site in frames. The limit applies to each process: a sum would count a process once
    for each of its frames.
    """

    def __init__(self, tab: Tab) -> None:
        """Send the calls without waiting: later calls are answered after them."""
        self._tab = tab
        self._page_answer = tab.send("Memory.getDOMCounters")
        send = tab.prepared_page.pipe.send
        self._frame_answers = [
            send("Memory.getDOMCounters", None, frame) for frame in tab.prepared_page.frame_sessions
        ]

    def check_limit(self) -> None:
        """Raise OverBudget above the limit, or RenderFailure `render_timeout`."""
        if self.maximum() <= MAX_NODES:
            return
        # Removed nodes count until they are collected.
        self._collect_garbage()
        if NodeCount(self._tab).maximum() > MAX_NODES:
            message = (
                f"the page has more than {MAX_NODES} DOM nodes: show less in it, or make several "
                "documents of it"
            )
            raise OverBudget(message)

    def maximum(self) -> int:
        """Return the count of the largest process; raises RenderFailure `render_timeout`."""
        page_nodes = self._tab.outcome(self._page_answer)["nodes"]
        frame_nodes = [self._frame_result(answer).get("nodes", 0) for answer in self._frame_answers]
        return max([page_nodes, *frame_nodes])

    def _collect_garbage(self) -> None:
        """Collect garbage in all processes and wait: a count must not overtake a collection."""
        send = self._tab.prepared_page.pipe.send
        page_answer = self._tab.send("HeapProfiler.collectGarbage")
        frame_answers = [
            send("HeapProfiler.collectGarbage", None, frame)
            for frame in self._tab.prepared_page.frame_sessions
        ]
        self._tab.outcome(page_answer)
        for answer in frame_answers:
            self._frame_result(answer)

    def _frame_result(self, answer: Answer) -> CallResult:
        try:
            return self._tab.wait_for(answer, self._tab.deadline.within(_FRAME_TIMEOUT_S))
        except (CallRefusedError, TimeoutError):
            return {}
