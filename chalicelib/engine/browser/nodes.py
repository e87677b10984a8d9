"""How many nodes a page has, and that they are not too many before it is drawn, nor after."""

from typing import Final

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
        for session in (self._tab.spare.session, *self._tab.spare.frames):
            self._tab.spare.pipe.send("HeapProfiler.collectGarbage", None, session)
        if Count(self._tab).most() > MOST_NODES:
            message = (
                f"the page has more than {MOST_NODES} DOM nodes: show less in it, or make several "
                "documents of it"
            )
            raise OverBudget(message)

    def most(self) -> int:
        """Return the nodes of the process that has most; raises `render_timeout`."""
        own: int = self._tab.outcome(self._page)["nodes"]
        return max([own, *map(self._of_frame, self._frames)])

    def _of_frame(self, answer: Answer) -> int:
        try:
            nodes: int = self._tab.until(answer, self._tab.deadline.sooner(_FRAME_S))["nodes"]
        except (CallRefused, TimeoutError):
            return 0
        return nodes
