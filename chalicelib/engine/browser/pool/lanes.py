"""Lanes: pages of one workspace that follow each other in one browser context (decision 40)."""

import threading
from typing import Final

from chalicelib.engine.browser.pool.launch import PooledPage, RunningBrowser
from chalicelib.engine.browser.tab.prepared_page import prepare_next_page

# A fresh process costs some 60 ms of processor time: a fiftieth of it for each document.
MAX_LANE_DOCUMENTS: Final = 50


class Lanes:
    """Keeper of the used page that the next one may follow; safe for use from all threads.

    A lane begins with the second document in a row of one workspace, because the page prepared in
    it is of no use to another workspace, whose document then waits for a fresh one.
    """

    def __init__(self, max_memory_bytes: int) -> None:
        """Let no page follow in a browser that takes more than `max_memory_bytes`."""
        self._max_memory_bytes = max_memory_bytes
        self._lock = threading.Lock()
        self._last_lane: str | None = None
        self._retired: PooledPage | None = None

    def retire(self, used: PooledPage, lane: str | None) -> None:
        """Keep a used page, which leaves nothing behind, for the next one of its lane."""
        is_kept = (
            lane is not None
            and lane == self._last_lane
            and used.position < MAX_LANE_DOCUMENTS
            and used.browser.process.memory_bytes() <= self._max_memory_bytes
        )
        self._last_lane = lane
        if not is_kept:
            used.page.discard()
            return
        used.page.retire()
        with self._lock:
            replaced, self._retired = self._retired, used._replace(lane=lane)
        if replaced is not None:
            replaced.page.discard()

    def follow(self, browser: RunningBrowser) -> PooledPage | None:
        """Return a page that follows the kept one; None where this browser keeps none.

        Raises as `prepare_page`.
        """
        with self._lock:
            retired, self._retired = self._retired, None
        if retired is None or retired.browser is not browser:
            return None
        browser.prepared_count += 1
        page = prepare_next_page(retired.page)
        return PooledPage(browser, page, retired.lane, retired.position + 1)
