"""Where pages come from: spares made ahead by one browser, and a second browser standing by."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Final, NamedTuple

from chalicelib.engine.browser.launch import Launcher, Ready, Running
from chalicelib.engine.browser.pipe import BrowserGone, CallRefused
from chalicelib.engine.browser.rehearsal import PROOF, BrowserUnusable, Rehearsal, full
from chalicelib.engine.browser.spare import prepare
from chalicelib.engine.deadline import Deadline, out_of_time

log = logging.getLogger(__name__)

_STARTS: Final = 2
# Everybody waits for the first spare and its document; from the second on they are made ahead.
_MADE_AHEAD: Final = 2
# The render that comes right after a browser was lost has the machine for itself.
_CALM_S: Final = 0.5
_NO_SPARE: Final = (BrowserGone, CallRefused, TimeoutError)


class Wear(NamedTuple):
    """When a browser is replaced between two renders."""

    renders: int
    memory_bytes: int


class Supply:
    """Has a spare ready, or will soon.

    One thread, the keeper, makes the spares of the browser in use. Another, the helper, starts the
    browser that stands by, and sees to the end of those that were given up.
    """

    def __init__(self, launcher: Launcher, wear: Wear, recycled: Callable[[str], None]) -> None:
        """Start nothing yet."""
        self._launcher = launcher
        self._wear = wear
        self._recycled = recycled
        self._lock = threading.Lock()
        self._keeper = ThreadPoolExecutor(1, thread_name_prefix="browser-keeper")
        self._helper = ThreadPoolExecutor(1, thread_name_prefix="browser-helper")
        self._closing = threading.Event()
        self._running: Running | None = None
        self._used: Running | None = None
        self._hurried = False
        self._next: Future[Ready] | None = None
        self._standby: Future[Ready] | None = None
        self._standing_by: Running | None = None

    def prepare(self) -> Future[Ready]:
        """Make the next spare in the background, if that has not begun; returns at once."""
        with self._lock:
            if self._next is None or _is_spoilt(self._next):
                self._next = self._keeper.submit(self._make)
            return self._next

    @property
    def warm(self) -> bool:
        """Tell whether the next render finds a spare that is ready."""
        coming = self._next
        return coming is not None and coming.done() and not _is_spoilt(coming)

    @property
    def running(self) -> list[Running]:
        """Return the browser in use and the one that stands by, if they are there."""
        found = [] if self._running is None else [self._running]
        standby = self._standby
        if standby is not None and standby.done() and not _is_spoilt(standby):
            found.append(standby.result().running)
        return found

    def take(self, deadline: Deadline) -> Ready:
        """Return a spare; raises RenderFailure `render_timeout`, BrowserUnusable."""
        coming = self.prepare()
        # Who has to wait for a spare has no use for one that is made with more care: a rehearsal
        # costs the processor what it spares the document.
        with self._lock:
            self._hurried = not coming.done()
            for running in (self._running, self._standing_by):
                if running is not None:
                    running.process.step_forward()
        either: list[Future[Any]] = [coming, deadline.stopped]
        wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
        if deadline.passed:
            raise out_of_time()
        ready = coming.result()
        with self._lock:
            self._next, self._used = None, ready.running
            ready.running.process.step_forward()
        return ready

    def give_back(self, ready: Ready) -> None:
        """Throw a spare's context away."""
        ready.spare.discard()
        with self._lock:
            self._used = None
            if not self._hurried:
                # The next spare is made after what this one's document is stored by.
                ready.running.process.step_back()
            worn = ready.running.ended or ready.running is not self._running
        if worn:
            self._give_up(ready.running, "worn")

    def lose(self, ready: Ready, why: str) -> None:
        """End a spare's browser; returns at once."""
        with self._lock:
            self._used = None
        self._give_up(ready.running, why)

    def close(self) -> None:
        """End everything; a later use starts it again."""
        self._closing.set()
        self._keeper.submit(self._end).result()
        self._helper.submit(self._end_standby).result()
        with self._lock:
            self._next = None
            self._closing.clear()

    def _make(self) -> Ready:
        self._replace_worn()
        for attempt in range(1, _STARTS + 1):
            try:
                ready = self._begin_or_go_on()
            except _NO_SPARE as error:
                log.warning("no spare (%s), attempt %d", type(error).__name__, attempt)
                self._drop("no_spare")
            except BrowserUnusable:
                self._end()
                raise
            else:
                if ready.running.spares >= _MADE_AHEAD:
                    self._have_standby()
                return ready
        # No document's fault: another process may have more luck.
        message = "no browser could be made ready"
        raise BrowserUnusable(message)

    def _begin_or_go_on(self) -> Ready:
        if self._running is None:
            standby = self._take_standby()
            if standby is not None:
                self._running = standby.running
                return standby
            self._running = self._launcher.start()
        return _spare(self._running, self._rehearsal(self._running))

    def _rehearsal(self, running: Running) -> Rehearsal | None:
        if running.spares + 1 < _MADE_AHEAD:
            return PROOF
        return None if self._hurried else full()

    def _replace_worn(self) -> None:
        running = self._running
        if running is None:
            return
        if running.ended:
            self._running = None
        elif running.process.pipe.closed:
            self._drop("lost")
        elif (
            running.spares >= self._wear.renders
            or running.process.memory_bytes() > self._wear.memory_bytes
        ):
            with self._lock:
                self._running = None
                # Whoever has a page of it ends it afterwards.
                free = running is not self._used
            if free:
                self._give_up(running, "worn")

    def _drop(self, why: str) -> None:
        running, self._running = self._running, None
        if running is not None:
            self._give_up(running, why)

    def _give_up(self, running: Running, why: str) -> None:
        running.end()
        self._helper.submit(self._bury, running, why)

    def _bury(self, running: Running, why: str) -> None:
        running.process.kill()
        self._recycled(why)

    def _have_standby(self) -> None:
        with self._lock:
            if self._standby is None and not self._closing.is_set():
                self._standby = self._helper.submit(self._stand_by)

    def _stand_by(self) -> Ready:
        if self._closing.wait(_CALM_S):
            message = "everything ends"
            raise BrowserGone(message)
        running = self._launcher.start()
        running.spares = _MADE_AHEAD - 1
        with self._lock:
            self._standing_by = running
            if not self._hurried:
                running.process.step_back()
        try:
            return _spare(running, full())
        except BaseException:
            running.end()
            running.process.kill()
            raise

    def _take_standby(self) -> Ready | None:
        with self._lock:
            standby, self._standby = self._standby, None
        if standby is None or standby.cancel():
            return None
        with suppress(*_NO_SPARE, BrowserUnusable):
            ready = standby.result()
            if not ready.spoilt:
                return ready
            self._give_up(ready.running, "lost")
        return None

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.end()
            running.process.kill()

    def _end_standby(self) -> None:
        standby, self._standby = self._standby, None
        if standby is not None and not standby.cancel() and standby.exception() is None:
            running = standby.result().running
            running.end()
            running.process.kill()


def _spare(running: Running, rehearsal: Rehearsal | None) -> Ready:
    running.spares += 1
    gate = running.proxy.gate()
    try:
        spare = prepare(running.process.pipe, running.arrivals, gate, rehearsal)
    except Exception:
        gate.close()
        log.warning("the browser says: %s", running.process.last_words())
        raise
    return Ready(running, spare)


def _is_spoilt(coming: Future[Ready]) -> bool:
    """Tell whether a spare could not be made, or its browser has ended since."""
    if not coming.done():
        return False
    return coming.cancelled() or coming.exception() is not None or coming.result().spoilt
