"""How many nodes a page has, and that they are not too many before it is drawn, nor after."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.engine.browser.chromium.memory import OverBudget
from chalicelib.engine.browser.chromium.pipe import Answer, CallRefused
from chalicelib.engine.browser.page.tab import Tab

MAX_NODES: Final = 1_000_000
# A frame of another site that does not answer is not what the document is judged by.
_FRAME_TIMEOUT_S: Final = 1.0


class NodeCount:
    """The nodes of a page as it is when it comes to answer, frames and shadow trees included.

    The browser keeps count for each of its processes: of the page with all frames of its site, and
    of each other site that it has frames of. Each of them may have as many.
    """

    def __init__(self, tab: Tab) -> None:
        """Ask, and go on: what is sent next is answered next."""
        self._tab = tab
        self._page_answer = tab.send("Memory.getDOMCounters")
        send = tab.prepared_page.pipe.send
        self._frame_answers = [
            send("Memory.getDOMCounters", None, frame) for frame in tab.prepared_page.frame_sessions
        ]

    def check_limit(self) -> None:
        """Raise OverBudget where there are too many; `render_timeout`."""
        if self.maximum() <= MAX_NODES:
            return
        # Those that the page has thrown away are counted until they are collected.
        self._collect_garbage()
        if NodeCount(self._tab).maximum() > MAX_NODES:
            message = (
                f"the page has more than {MAX_NODES} DOM nodes: show less in it, or make several "
                "documents of it"
            )
            raise OverBudget(message)

    def maximum(self) -> int:
        """Return the nodes of the process that has most; raises `render_timeout`."""
        own: int = self._tab.outcome(self._page_answer)["nodes"]
        of_frames = [
            int(self._frame_result(answer).get("nodes", 0)) for answer in self._frame_answers
        ]
        return max([own, *of_frames])

    def _collect_garbage(self) -> None:
        """Have every process collect, and be done: one may count before it has collected."""
        send = self._tab.prepared_page.pipe.send
        collected = self._tab.send("HeapProfiler.collectGarbage")
        of_frames = [
            send("HeapProfiler.collectGarbage", None, frame)
            for frame in self._tab.prepared_page.frame_sessions
        ]
        self._tab.outcome(collected)
        for answer in of_frames:
            self._frame_result(answer)

    def _frame_result(self, answer: Answer) -> Mapping[str, Any]:
        try:
            return self._tab.wait_for(answer, self._tab.deadline.within(_FRAME_TIMEOUT_S))
        except (CallRefused, TimeoutError):
            return {}
