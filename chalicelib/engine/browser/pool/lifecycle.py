"""Browser facade for the engine: a page of its own for each render, within memory limits."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.memory import OverBudget, watch_memory
from chalicelib.engine.browser.chromium.pipe import (
    BrowserGoneError,
    BrowserHungError,
    PageCrashedError,
)
from chalicelib.engine.browser.chromium.process import BrowserProcess
from chalicelib.engine.browser.pool.browser_pool import BrowserPool, RecyclePolicy
from chalicelib.engine.browser.pool.launch import BrowserLauncher, PooledPage
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.ports import Egress, NoEgress
from chalicelib.engine.sandbox.walls import Walls

if TYPE_CHECKING:
    from chalicelib.engine.browser.page.page import BrowserPage

log = logging.getLogger(__name__)

RENDERS_PER_PROCESS: Final = 200
# Memory that all browser processes may take during one render (decision 19).
MAX_PAGE_MEMORY_BYTES: Final = 1_500_000_000
# A browser that keeps more than this after a render is replaced (decision 19).
RECYCLE_MEMORY_BYTES: Final = 600_000_000
# That in use, the standby and a new one.
_MAX_BROWSERS: Final = 3
_TIMEOUT_CODES: Final = frozenset({"wait_timeout", "render_timeout"})


class Browser:
    """Browser for one render at a time; concurrent callers of `use` wait for each other."""

    def __init__(  # noqa: PLR0913 -- each is a setting of its own
        self,
        chromium: Path,
        fonts: Path,
        *,
        egress: Egress | None = None,
        ca_bundle: Path | None = None,
        sandbox: bool = True,
        walls: Walls | None = None,
        renders_per_process: int = RENDERS_PER_PROCESS,
        max_page_memory_bytes: int = MAX_PAGE_MEMORY_BYTES,
        recycle_memory_bytes: int = RECYCLE_MEMORY_BYTES,
        on_recycle: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `walls` admits a browser that lacks some; without it none may be missing.
        `egress` is the pages' only way to the network; None allows no connection. `ca_bundle` is a
        PEM file of authorities that are trusted in addition to the browser's own. `on_recycle` gets
        the reason why a browser was ended: `recycle_due`, `lost` (the browser died, or its page may
        still be running), `over_budget` or `prepare_failed`.
        """
        self.fonts: Final = fonts
        self._max_page_memory_bytes = max_page_memory_bytes
        self._use_lock = threading.Lock()
        self._pool = BrowserPool(
            BrowserLauncher(
                chromium,
                fonts,
                egress or NoEgress(),
                ca_bundle,
                sandbox=sandbox,
                walls=walls or Walls(),
            ),
            RecyclePolicy(renders_per_process, recycle_memory_bytes),
            on_recycle,
        )

    def start(self) -> None:
        """Start the browser and prepare a page.

        Raises BrowserMissingError or BrowserUnusableError.
        """
        self.prepare().result()

    def use[Result](
        self,
        work: "Callable[[BrowserPage], Result]",
        deadline: Deadline,
        lane: str | None = None,
    ) -> Result:
        """Call `work` with a page of its own; retry when the browser dies or hangs.

        A document is tried in two browsers, and in a third where the processes of both ended: the
        standby may have been killed together with the browser in use.

        Its context and process are fresh, or served documents of the same `lane` (decision 40).
        Raises RenderFailure: that of `work`, `render_timeout`, or `render_failed` when the page
        exceeds its memory budget or the last browser is lost too. Raises BrowserUnusableError when
        no browser can be prepared.
        """
        with self._use_lock:
            for number in range(1, _MAX_BROWSERS + 1):
                try:
                    return self._run_once(work, deadline, lane)
                except BrowserGoneError as lost:
                    log.warning("browser lost: %s", type(lost).__name__)
                    if deadline.has_passed:
                        raise timeout_failure() from lost
                    # A page that crashes or hangs twice does so by itself; processes may be killed.
                    is_by_page = number > 1 and isinstance(
                        lost, BrowserHungError | PageCrashedError
                    )
                    if is_by_page or number == _MAX_BROWSERS:
                        message = "the browser ended while it rendered this document"
                        raise RenderFailure("render_failed", message) from lost
        raise AssertionError(_MAX_BROWSERS)

    def prepare(self) -> Future[PooledPage]:
        """Start preparing the next page in the background, idempotently; return at once."""
        return self._pool.prepare()

    @property
    def is_warm(self) -> bool:
        """Tell whether a prepared page waits for the next render."""
        return self._pool.is_warm

    @property
    def processes(self) -> list[BrowserProcess]:
        """Return the processes of the current and the standby browser, as far as they run."""
        return [running.process for running in self._pool.running_browsers]

    @property
    def pids(self) -> list[int]:
        """Return the ids of all processes, those of the browser in use first."""
        return [pid for process in self.processes for pid in process.pids()]

    def close(self) -> None:
        """End the browser; a later use starts it again."""
        with self._use_lock:
            self._pool.close()

    def _run_once[Result](
        self, work: "Callable[[BrowserPage], Result]", deadline: Deadline, lane: str | None
    ) -> Result:
        pooled, discard_reason = self._pool.acquire(deadline, lane), "lost"
        leaves_nothing = False
        try:
            result, leaves_nothing = self._run_with_page(work, pooled, deadline)
            discard_reason = ""
        except OverBudget:
            discard_reason = "over_budget"
            raise
        except RenderFailure as failure:
            # After a timeout the page may still be running, so its browser is not used again.
            if failure.code not in _TIMEOUT_CODES:
                discard_reason = ""
            raise
        finally:
            if discard_reason:
                self._pool.discard_browser(pooled, discard_reason)
            else:
                self._pool.release(pooled, lane, leaves_nothing=leaves_nothing)
        return result

    def _run_with_page[Result](
        self, work: "Callable[[BrowserPage], Result]", pooled: PooledPage, deadline: Deadline
    ) -> tuple[Result, bool]:
        """Return the result, and whether the document leaves nothing behind."""
        # Imported after the browser has been started, as the start does not need it (decision 7).
        from chalicelib.engine.browser.page.page import BrowserPage  # noqa: PLC0415

        running, max_bytes = pooled.browser, self._max_page_memory_bytes
        with (
            pooled.page.proxy_port.open() as traffic,
            watch_memory(running.process.memory_bytes, max_bytes, running.end) as watch,
        ):
            try:
                page = BrowserPage(pooled.page, deadline, traffic, running.font_families)
                return work(page), page.leaves_nothing
            except (BrowserGoneError, RenderFailure) as problem:
                if not watch.is_exceeded:
                    raise
                message = (
                    f"the page takes more than {max_bytes / 1e9:g} GB of the browser's memory: use "
                    "fewer or smaller pictures and less data in its scripts, or make several "
                    "documents of it"
                )
                raise OverBudget(message) from problem
