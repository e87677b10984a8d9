"""Pool of prepared browser pages, with a second browser on standby (decision 19)."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Final, NamedTuple

from chalicelib.engine.browser.chromium.pipe import BrowserGoneError, CallRefusedError
from chalicelib.engine.browser.pool.launch import BrowserLauncher, PooledPage, RunningBrowser
from chalicelib.engine.browser.tab.prepared_page import prepare_next_page, prepare_page
from chalicelib.engine.browser.tab.warm_up import (
    SELF_TEST,
    BrowserUnusableError,
    WarmUp,
    full_warm_up,
)
from chalicelib.engine.deadline import Deadline, timeout_failure

log = logging.getLogger(__name__)

_MAX_START_ATTEMPTS: Final = 2
# Callers wait for the first page of a browser; from the second on pages are prepared ahead.
_FIRST_PREPARED_AHEAD: Final = 2
# A render right after a loss gets the whole machine before the next standby browser starts.
_STANDBY_DELAY_S: Final = 0.5
_PREPARE_ERRORS: Final = (BrowserGoneError, CallRefusedError, TimeoutError)
# A fresh process costs some 60 ms of processor time: a fiftieth of it for each document.
MAX_LANE_DOCUMENTS: Final = 50


class RecyclePolicy(NamedTuple):
    """Limits at which a browser is replaced between two renders."""

    max_renders: int
    max_memory_bytes: int


class BrowserPool:
    """Pool of one prepared page, kept filled by two single-threaded executors.

    The page executor prepares pages in the current browser. The standby executor starts the standby
    browser and kills discarded ones. One caller at a time may hold a page.
    """

    def __init__(
        self,
        launcher: BrowserLauncher,
        recycle_policy: RecyclePolicy,
        on_recycle: Callable[[str], None],
    ) -> None:
        """Start nothing yet; `on_recycle` gets the reason each time a browser was ended."""
        self._launcher = launcher
        self._recycle_policy = recycle_policy
        self._on_recycle = on_recycle
        self._lock = threading.Lock()
        self._page_executor = ThreadPoolExecutor(1, thread_name_prefix="browser-pages")
        self._standby_executor = ThreadPoolExecutor(1, thread_name_prefix="browser-standby")
        self._closing = threading.Event()
        self._current: RunningBrowser | None = None
        self._in_use: RunningBrowser | None = None
        self._caller_waits = False
        self._next_page: Future[PooledPage] | None = None
        self._standby_page: Future[PooledPage] | None = None
        self._standby_browser: RunningBrowser | None = None
        # Well below the limit, so that a lane's process is no reason to replace the browser.
        self._lanes = Lanes(recycle_policy.max_memory_bytes * 2 // 3)

    def prepare(self) -> Future[PooledPage]:
        """Start preparing the next page in the background, idempotently; return at once."""
        with self._lock:
            if self._next_page is None or _is_dead(self._next_page):
                self._next_page = self._page_executor.submit(self._prepare_with_retry)
            return self._next_page

    @property
    def is_warm(self) -> bool:
        """Tell whether a prepared page waits for the next render."""
        page = self._next_page
        return page is not None and page.done() and not _is_dead(page)

    @property
    def running_browsers(self) -> list[RunningBrowser]:
        """Return the current and the standby browser, as far as they run."""
        browsers = [] if self._current is None else [self._current]
        standby = self._standby_page
        if standby is not None and standby.done() and not _is_dead(standby):
            browsers.append(standby.result().browser)
        return browsers

    def acquire(self, deadline: Deadline, lane: str | None) -> PooledPage:
        """Return a prepared page, in a fresh context or of this lane.

        Raises RenderFailure `render_timeout`, BrowserUnusableError.
        """
        while (pooled := self._take_prepared(deadline)).lane not in {None, lane}:
            pooled.page.discard()
        return pooled

    def _take_prepared(self, deadline: Deadline) -> PooledPage:
        page = self.prepare()
        # A full warm-up costs as much time as it saves, so a caller who waits gets a page without.
        with self._lock:
            self._caller_waits = not page.done()
            for running in (self._current, self._standby_browser):
                if running is not None:
                    running.process.restore_priority()
        futures: list[Future[Any]] = [page, deadline.cancellation]
        wait(futures, deadline.remaining_s(), return_when=FIRST_COMPLETED)
        if deadline.has_passed:
            raise timeout_failure()
        pooled = page.result()
        with self._lock:
            self._next_page, self._in_use = None, pooled.browser
            pooled.browser.process.restore_priority()
        return pooled

    def release(self, pooled: PooledPage, lane: str | None, *, leaves_nothing: bool) -> None:
        """Let go of a used page; its browser serves further ones unless it is due for recycling.

        Its context serves the next page of its lane if its document `leaves_nothing` behind.
        """
        if leaves_nothing:
            self._lanes.retire(pooled, lane)
        else:
            pooled.page.discard()
        with self._lock:
            self._in_use = None
            if not self._caller_waits:
                # Storing the document comes before the preparation of the next page.
                pooled.browser.process.lower_priority()
            is_retired = pooled.browser.has_ended or pooled.browser is not self._current
        if is_retired:
            self._end_browser(pooled.browser, "recycle_due")

    def discard_browser(self, pooled: PooledPage, reason: str) -> None:
        """End the browser of a page; return at once."""
        with self._lock:
            self._in_use = None
        self._end_browser(pooled.browser, reason)

    def close(self) -> None:
        """End everything; a later use starts it again."""
        self._closing.set()
        self._page_executor.submit(self._end_current).result()
        self._standby_executor.submit(self._end_standby).result()
        with self._lock:
            self._next_page = None
            self._closing.clear()

    def _prepare_with_retry(self) -> PooledPage:
        self._recycle_if_due()
        for attempt in range(1, _MAX_START_ATTEMPTS + 1):
            try:
                pooled = self._prepare_once()
            except _PREPARE_ERRORS as error:
                log.warning(
                    "page preparation failed (%s), attempt %d", type(error).__name__, attempt
                )
                self._discard_current("prepare_failed")
            except BrowserUnusableError:
                self._end_current()
                raise
            else:
                if pooled.browser.prepared_count >= _FIRST_PREPARED_AHEAD:
                    self._start_standby()
                return pooled
        # BrowserUnusableError, not RenderFailure: no document is at fault, another process may
        # succeed.
        message = "no browser could be prepared"
        raise BrowserUnusableError(message)

    def _prepare_once(self) -> PooledPage:
        if self._current is None:
            standby = self._take_standby()
            if standby is not None:
                self._current = standby.browser
                return standby
            self._current = self._launcher.start()
        following = self._lanes.follow(self._current)
        return following or _prepare_on(self._current, self._choose_warm_up(self._current))

    def _choose_warm_up(self, browser: RunningBrowser) -> WarmUp | None:
        if browser.prepared_count + 1 < _FIRST_PREPARED_AHEAD:
            return SELF_TEST
        return None if self._caller_waits else full_warm_up()

    def _recycle_if_due(self) -> None:
        running = self._current
        if running is None:
            return
        if running.has_ended:
            self._current = None
        elif running.process.pipe.is_closed:
            self._discard_current("lost")
        elif (
            running.prepared_count >= self._recycle_policy.max_renders
            or running.process.memory_bytes() > self._recycle_policy.max_memory_bytes
        ):
            with self._lock:
                self._current = None
                # `release` ends a browser whose page is still in use.
                is_free = running is not self._in_use
            if is_free:
                self._end_browser(running, "recycle_due")

    def _discard_current(self, reason: str) -> None:
        running, self._current = self._current, None
        if running is not None:
            self._end_browser(running, reason)

    def _end_browser(self, browser: RunningBrowser, reason: str) -> None:
        browser.end()
        self._standby_executor.submit(self._kill_and_report, browser, reason)

    def _kill_and_report(self, browser: RunningBrowser, reason: str) -> None:
        browser.process.kill()
        self._on_recycle(reason)

    def _start_standby(self) -> None:
        with self._lock:
            if self._standby_page is None and not self._closing.is_set():
                self._standby_page = self._standby_executor.submit(self._prepare_standby)

    def _prepare_standby(self) -> PooledPage:
        if self._closing.wait(_STANDBY_DELAY_S):
            message = "the pool is closing"
            raise BrowserGoneError(message)
        running = self._launcher.start()
        # Counted as past its self-test: its first page is prepared ahead like later ones.
        running.prepared_count = _FIRST_PREPARED_AHEAD - 1
        with self._lock:
            self._standby_browser = running
            if not self._caller_waits:
                running.process.lower_priority()
        try:
            return _prepare_on(running, full_warm_up())
        except BaseException:
            running.end()
            running.process.kill()
            raise

    def _take_standby(self) -> PooledPage | None:
        with self._lock:
            standby, self._standby_page = self._standby_page, None
        if standby is None or standby.cancel():
            return None
        with suppress(*_PREPARE_ERRORS, BrowserUnusableError):
            pooled = standby.result()
            if not pooled.is_dead:
                return pooled
            self._end_browser(pooled.browser, "lost")
        return None

    def _end_current(self) -> None:
        running, self._current = self._current, None
        if running is not None:
            running.end()
            running.process.kill()

    def _end_standby(self) -> None:
        standby, self._standby_page = self._standby_page, None
        if standby is not None and not standby.cancel() and standby.exception() is None:
            running = standby.result().browser
            running.end()
            running.process.kill()


def _prepare_on(browser: RunningBrowser, warm_up: WarmUp | None) -> PooledPage:
    browser.prepared_count += 1
    proxy_port = browser.proxy.new_port()
    try:
        page = prepare_page(browser.process.pipe, browser.new_targets, proxy_port, warm_up)
    except Exception:
        proxy_port.close()
        log.warning("browser error output: %s", browser.process.stderr_tail())
        raise
    return PooledPage(browser, page)


def _is_dead(future: Future[PooledPage]) -> bool:
    """Tell whether a preparation has failed, or its browser has ended since."""
    if not future.done():
        return False
    return future.cancelled() or future.exception() is not None or future.result().is_dead


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
