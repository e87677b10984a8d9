"""Where pages come from: spares made ahead by one browser, and a second browser standing by."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Final, NamedTuple

from chalicelib.engine.browser.chromium.pipe import BrowserGone, CallRefused
from chalicelib.engine.browser.pool.launch import BrowserLauncher, PooledPage, RunningBrowser
from chalicelib.engine.browser.pool.prepared_page import prepare_page
from chalicelib.engine.browser.pool.warm_up import SELF_TEST, BrowserUnusable, WarmUp, full_warm_up
from chalicelib.engine.deadline import Deadline, timeout_failure

log = logging.getLogger(__name__)

_MAX_START_ATTEMPTS: Final = 2
# Everybody waits for the first spare and its document; from the second on they are made ahead.
_FIRST_PREPARED_AHEAD: Final = 2
# The render that comes right after a browser was lost has the machine for itself.
_STANDBY_DELAY_S: Final = 0.5
_PREPARE_ERRORS: Final = (BrowserGone, CallRefused, TimeoutError)


class RecyclePolicy(NamedTuple):
    """When a browser is replaced between two renders."""

    max_renders: int
    max_memory_bytes: int


class BrowserPool:
    """Has a spare ready, or will soon.

    One thread, the keeper, makes the spares of the browser in use. Another, the helper, starts the
    browser that stands by, and sees to the end of those that were given up.
    """

    def __init__(
        self,
        launcher: BrowserLauncher,
        recycle_policy: RecyclePolicy,
        on_recycle: Callable[[str], None],
    ) -> None:
        """Start nothing yet."""
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

    def prepare(self) -> Future[PooledPage]:
        """Make the next spare in the background, if that has not begun; returns at once."""
        with self._lock:
            if self._next_page is None or _is_dead(self._next_page):
                self._next_page = self._page_executor.submit(self._prepare_with_retry)
            return self._next_page

    @property
    def is_warm(self) -> bool:
        """Tell whether the next render finds a spare that is ready."""
        coming = self._next_page
        return coming is not None and coming.done() and not _is_dead(coming)

    @property
    def running_browsers(self) -> list[RunningBrowser]:
        """Return the browser in use and the one that stands by, if they are there."""
        found = [] if self._current is None else [self._current]
        standby = self._standby_page
        if standby is not None and standby.done() and not _is_dead(standby):
            found.append(standby.result().browser)
        return found

    def acquire(self, deadline: Deadline) -> PooledPage:
        """Return a spare; raises RenderFailure `render_timeout`, BrowserUnusable."""
        coming = self.prepare()
        # Who has to wait for a spare has no use for one that is made with more care: a rehearsal
        # costs the processor what it spares the document.
        with self._lock:
            self._caller_waits = not coming.done()
            for running in (self._current, self._standby_browser):
                if running is not None:
                    running.process.restore_priority()
        either: list[Future[Any]] = [coming, deadline.cancellation]
        wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
        if deadline.has_passed:
            raise timeout_failure()
        ready = coming.result()
        with self._lock:
            self._next_page, self._in_use = None, ready.browser
            ready.browser.process.restore_priority()
        return ready

    def release(self, pooled: PooledPage) -> None:
        """Throw a spare's context away."""
        pooled.page.discard()
        with self._lock:
            self._in_use = None
            if not self._caller_waits:
                # The next spare is made after what this one's document is stored by.
                pooled.browser.process.lower_priority()
            worn = pooled.browser.has_ended or pooled.browser is not self._current
        if worn:
            self._end_browser(pooled.browser, "recycle_due")

    def discard_browser(self, pooled: PooledPage, reason: str) -> None:
        """End a spare's browser; returns at once."""
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
                ready = self._prepare_once()
            except _PREPARE_ERRORS as error:
                log.warning("no spare (%s), attempt %d", type(error).__name__, attempt)
                self._discard_current("prepare_failed")
            except BrowserUnusable:
                self._end_current()
                raise
            else:
                if ready.browser.prepared_count >= _FIRST_PREPARED_AHEAD:
                    self._start_standby()
                return ready
        # No document's fault: another process may have more luck.
        message = "no browser could be made ready"
        raise BrowserUnusable(message)

    def _prepare_once(self) -> PooledPage:
        if self._current is None:
            standby = self._take_standby()
            if standby is not None:
                self._current = standby.browser
                return standby
            self._current = self._launcher.start()
        return _prepare_on(self._current, self._choose_warm_up(self._current))

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
                # Whoever has a page of it ends it afterwards.
                free = running is not self._in_use
            if free:
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
            message = "everything ends"
            raise BrowserGone(message)
        running = self._launcher.start()
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
        with suppress(*_PREPARE_ERRORS, BrowserUnusable):
            ready = standby.result()
            if not ready.is_dead:
                return ready
            self._end_browser(ready.browser, "lost")
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
    gate = browser.proxy.new_port()
    try:
        spare = prepare_page(browser.process.pipe, browser.new_targets, gate, warm_up)
    except Exception:
        gate.close()
        log.warning("the browser says: %s", browser.process.stderr_tail())
        raise
    return PooledPage(browser, spare)


def _is_dead(future: Future[PooledPage]) -> bool:
    """Tell whether a spare could not be made, or its browser has ended since."""
    if not future.done():
        return False
    return future.cancelled() or future.exception() is not None or future.result().is_dead
