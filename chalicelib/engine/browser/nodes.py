"""How many nodes a page has, and that they are not too many before it is drawn, nor after."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.engine.browser.memory import OverBudget
from chalicelib.engine.browser.pipe import Answer, CallRefused
from chalicelib.engine.browser.tab import Tab

MOST_NODES: Final = 1_000_000
# A frame of another site that does not answer is not what the document is judged by.
_FRAME_S: Final = 1.0


class Count:
    """The nodes of a page as it is when it comes to answer, frames and shadow trees included.

    The browser keeps count for each of its processes: of the page with all frames of its site, and
    of each other site that it has frames of. Each of them may have as many.
    """

    def __init__(self, tab: Tab) -> None:
        """Ask, and go on: what is sent next is answered next."""
        self._tab = tab
        self._page = tab.send("Memory.getDOMCounters")
        send = tab.spare.pipe.send
        self._frames = [send("Memory.getDOMCounters", None, frame) for frame in tab.spare.frames]

    def insist(self) -> None:
        """Raise OverBudget where there are too many; `render_timeout`."""
        if self.most() <= MOST_NODES:
            return
        # Those that the page has thrown away are counted until they are collected.
        self._collect()
        if Count(self._tab).most() > MOST_NODES:
            message = (
                f"the page has more than {MOST_NODES} DOM nodes: show less in it, or make several "
                "documents of it"
            )
            raise OverBudget(message)

    def most(self) -> int:
        """Return the nodes of the process that has most; raises `render_timeout`."""
        own: int = self._tab.outcome(self._page)["nodes"]
        of_frames = [int(self._of_frame(answer).get("nodes", 0)) for answer in self._frames]
        return max([own, *of_frames])

    def _collect(self) -> None:
        """Have every process collect, and be done: one may count before it has collected."""
        send = self._tab.spare.pipe.send
        collected = self._tab.send("HeapProfiler.collectGarbage")
        of_frames = [
            send("HeapProfiler.collectGarbage", None, frame) for frame in self._tab.spare.frames
        ]
        self._tab.outcome(collected)
        for answer in of_frames:
            self._of_frame(answer)

    def _of_frame(self, answer: Answer) -> Mapping[str, Any]:
        try:
            return self._tab.until(answer, self._tab.deadline.sooner(_FRAME_S))
        except (CallRefused, TimeoutError):
            return {}
