"""The browser as the rest of the engine knows it: started, kept fresh, replaced when it fails."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.installation import Installation, locate
from chalicelib.engine.browser.pipe import BrowserGone, CallRefused
from chalicelib.engine.browser.process import BrowserProcess
from chalicelib.engine.browser.proxy import Proxy
from chalicelib.engine.browser.rehearsal import PROOF, BrowserUnusable, Rehearsal, full
from chalicelib.engine.browser.spare import Arrivals, Spare, prepare
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.outside import Nowhere, Outside

if TYPE_CHECKING:
    from chalicelib.engine.browser.page import Page

log = logging.getLogger(__name__)

RENDERS_PER_PROCESS: Final = 200
MEMORY_LIMIT_BYTES: Final = 1_500_000_000
_STARTS: Final = 2
# Everybody waits for the first spare and its document; from the second on they are made ahead.
_MADE_AHEAD: Final = 2
_TIME_OUTS: Final = frozenset({"wait_timeout", "render_timeout"})


class Browser:
    """One warm browser for one render at a time; callers of `use` wait for each other.

    Processes and spares are made by one thread, the keeper, so that they never overtake each other.
    """

    def __init__(  # noqa: PLR0913 -- each is a setting of its own
        self,
        chromium: Path,
        fonts: Path,
        *,
        outside: Outside | None = None,
        authorities: Path | None = None,
        sandbox: bool = True,
        renders_per_process: int = RENDERS_PER_PROCESS,
        memory_limit_bytes: int = MEMORY_LIMIT_BYTES,
        recycled: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `outside` is the pages' only way to other machines; without it there is none. `authorities`
        is a PEM file of whom to trust beside the browser's own. `recycled` learns why a browser was
        ended: `worn`, `lost` (with its page, or the page may still be running) or `no_spare`.
        """
        self._folders = (chromium, fonts)
        self._outside = outside or Nowhere()
        self._authorities = authorities
        self._sandbox = sandbox
        self._renders_per_process = renders_per_process
        self._memory_limit_bytes = memory_limit_bytes
        self._recycled = recycled
        self._busy = threading.Lock()
        self._lock = threading.Lock()
        self._keeper = ThreadPoolExecutor(1, thread_name_prefix="browser-keeper")
        self._installation: Installation | None = None
        self._running: _Running | None = None
        self._hurried = False
        self._next: Future[Spare] | None = None

    def start(self) -> None:
        """Start the browser and make the first spare; raises when it cannot do its work."""
        self.prepare().result()

    def use[Result](self, work: "Callable[[Page], Result]", deadline: Deadline) -> Result:
        """Give `work` a fresh page; once more with a new browser if this one dies or hangs.

        Raises RenderFailure: what `work` raises, `render_timeout`, or `render_failed` when the
        second browser was lost as well. Raises BrowserUnusable when there is none to be had.
        """
        with self._busy:
            try:
                return self._attempt(work, deadline)
            except BrowserGone as lost:
                log.warning("browser lost: %s", type(lost).__name__)
                if deadline.passed:
                    raise out_of_time() from lost
            try:
                return self._attempt(work, deadline)
            except BrowserGone as lost:
                log.warning("browser lost again: %s", type(lost).__name__)
                message = "the browser ended while it rendered this document"
                raise RenderFailure("render_failed", message) from lost

    def prepare(self) -> Future[Spare]:
        """Make the next spare in the background, if that has not begun; returns at once."""
        with self._lock:
            if self._next is None or _is_spoilt(self._next):
                self._next = self._keeper.submit(self._make_spare)
            return self._next

    @property
    def warm(self) -> bool:
        """Tell whether the next render finds a spare that is ready."""
        coming = self._next
        return coming is not None and coming.done() and not _is_spoilt(coming)

    @property
    def pids(self) -> list[int]:
        """Return the ids of all processes of the browser."""
        running = self._running
        return [] if running is None else running.process.pids()

    def close(self) -> None:
        """End the browser; a later use starts it again."""
        with self._busy, self._lock:
            self._keeper.submit(self._end).result()
            self._next = None

    def _attempt[Result](self, work: "Callable[[Page], Result]", deadline: Deadline) -> Result:
        # Not before the browser is started, which does not need it.
        from chalicelib.engine.browser.page import Page  # noqa: PLC0415

        current = self._take(deadline)
        intact = False
        try:
            with current.gate.open() as traffic:
                result = work(Page(current, deadline, traffic))
            intact = True
        except RenderFailure as failure:
            # After a time-out the page may still be running.
            intact = failure.code not in _TIME_OUTS
            raise
        finally:
            if intact:
                current.discard()
            else:
                self._keeper.submit(self._recycle, "lost")
        return result

    def _take(self, deadline: Deadline) -> Spare:
        coming = self.prepare()
        # Who has to wait for a spare has no use for one that is made with more care: a rehearsal
        # costs the processor what it spares the document.
        self._hurried = not coming.done()
        either: list[Future[Any]] = [coming, deadline.stopped]
        wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
        if deadline.passed:
            raise out_of_time()
        spare = coming.result()
        with self._lock:
            self._next = None
        return spare

    def _make_spare(self) -> Spare:
        if self._running is not None and self._is_worn(self._running):
            self._recycle("worn")
        for attempt in range(1, _STARTS + 1):
            try:
                return self._spare(self._running or self._begin())
            except (BrowserGone, CallRefused, TimeoutError) as error:
                log.warning("no spare (%s), attempt %d", type(error).__name__, attempt)
                self._recycle("no_spare")
            except BrowserUnusable:
                self._end()
                raise
        # No document's fault: another process may have more luck.
        message = "no browser could be made ready"
        raise BrowserUnusable(message)

    def _spare(self, running: "_Running") -> Spare:
        running.spares += 1
        if running.spares == _MADE_AHEAD:
            running.process.step_back()
        try:
            gate, rehearsal = running.proxy.gate(), self._rehearsal(running)
            return prepare(running.process.pipe, running.arrivals, gate, rehearsal)
        except Exception:
            log.warning("the browser says: %s", running.process.last_words())
            raise

    def _rehearsal(self, running: "_Running") -> Rehearsal | None:
        if running.spares < _MADE_AHEAD:
            return PROOF
        return None if self._hurried else full()

    def _begin(self) -> "_Running":
        self._installation = self._installation or locate(*self._folders)
        process = BrowserProcess(self._installation, sandbox=self._sandbox)
        try:
            proxy = Proxy(self._outside, self._trust)
            self._running = _Running(process, Arrivals(process.pipe), proxy)
        except BaseException:
            log.warning("the browser does not start: %s", process.last_words())
            process.kill()
            raise
        return self._running

    def _trust(self) -> None:
        running = self._running
        if self._authorities is None or self._installation is None or running is None:
            return
        # Most documents verify nobody.
        from chalicelib.engine.browser import authorities  # noqa: PLC0415

        authorities.install(self._authorities, self._installation, running.process.home)

    def _is_worn(self, running: "_Running") -> bool:
        return (
            running.process.pipe.closed
            or running.spares >= self._renders_per_process
            or running.process.memory_bytes() > self._memory_limit_bytes
        )

    def _recycle(self, why: str) -> None:
        if self._running is not None:
            self._recycled(why)
        self._end()

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.process.kill()
            running.proxy.close()


@dataclass(slots=True)
class _Running:
    """A process, its ways out, and how many spares it has made."""

    process: BrowserProcess
    arrivals: Arrivals
    proxy: Proxy
    spares: int = 0


def _is_spoilt(coming: Future[Spare]) -> bool:
    """Tell whether a spare could not be made, or its browser has ended since."""
    if not coming.done():
        return False
    return coming.exception() is not None or coming.result().pipe.closed
