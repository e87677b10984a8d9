"""The browser as the rest of the engine knows it: a fresh page for each, and its bounds."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.memory import OverBudget, watch_memory
from chalicelib.engine.browser.chromium.pipe import BrowserGone
from chalicelib.engine.browser.chromium.process import BrowserProcess
from chalicelib.engine.browser.pool.browser_pool import BrowserPool, RecyclePolicy
from chalicelib.engine.browser.pool.launch import BrowserLauncher, PooledPage
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.ports import Egress, NoEgress

if TYPE_CHECKING:
    from chalicelib.engine.browser.page.page import BrowserPage

log = logging.getLogger(__name__)

RENDERS_PER_PROCESS: Final = 200
# What a page may have its browser take.
MAX_PAGE_MEMORY_BYTES: Final = 1_500_000_000
# What is still there after a render is not the next page's to bear.
RECYCLE_MEMORY_BYTES: Final = 600_000_000
_TIMEOUT_CODES: Final = frozenset({"wait_timeout", "render_timeout"})


class Browser:
    """A browser for one render at a time; callers of `use` wait for each other."""

    def __init__(  # noqa: PLR0913 -- each is a setting of its own
        self,
        chromium: Path,
        fonts: Path,
        *,
        egress: Egress | None = None,
        ca_bundle: Path | None = None,
        sandbox: bool = True,
        renders_per_process: int = RENDERS_PER_PROCESS,
        max_page_memory_bytes: int = MAX_PAGE_MEMORY_BYTES,
        recycle_memory_bytes: int = RECYCLE_MEMORY_BYTES,
        on_recycle: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `egress` is the pages' only way to other machines; without it there is none. `ca_bundle` is
        a PEM file of authorities to trust beside the browser's own. `on_recycle` is called with the
        reason for which a browser was ended: `recycle_due`, `lost` (with its page, or the page may
        still be running), `over_budget` or `prepare_failed`.
        """
        self._max_page_memory_bytes = max_page_memory_bytes
        self._use_lock = threading.Lock()
        self._pool = BrowserPool(
            BrowserLauncher(chromium, fonts, egress or NoEgress(), ca_bundle, sandbox=sandbox),
            RecyclePolicy(renders_per_process, recycle_memory_bytes),
            on_recycle,
        )

    def start(self) -> None:
        """Start the browser and make the first spare; raises when it cannot do its work."""
        self.prepare().result()

    def use[Result](self, work: "Callable[[BrowserPage], Result]", deadline: Deadline) -> Result:
        """Give `work` a fresh page; once more with a new browser if this one dies or hangs.

        Raises RenderFailure: what `work` raises, `render_timeout`, or `render_failed` when the
        page takes too much memory, or the second browser was lost as well. Raises BrowserUnusable
        when there is none to be had.
        """
        with self._use_lock:
            try:
                return self._run_once(work, deadline)
            except BrowserGone as lost:
                log.warning("browser lost: %s", type(lost).__name__)
                if deadline.has_passed:
                    raise timeout_failure() from lost
            try:
                return self._run_once(work, deadline)
            except BrowserGone as lost:
                log.warning("browser lost again: %s", type(lost).__name__)
                message = "the browser ended while it rendered this document"
                raise RenderFailure("render_failed", message) from lost

    def prepare(self) -> Future[Any]:
        """Make the next spare in the background, if that has not begun; returns at once."""
        return self._pool.prepare()

    @property
    def is_warm(self) -> bool:
        """Tell whether the next render finds a spare that is ready."""
        return self._pool.is_warm

    @property
    def processes(self) -> list[BrowserProcess]:
        """Return the browser in use, if there is one, and the one that stands by, if it does."""
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
        self, work: "Callable[[BrowserPage], Result]", deadline: Deadline
    ) -> Result:
        ready, lost = self._pool.acquire(deadline), "lost"
        try:
            result = self._run_with_page(work, ready, deadline)
            lost = ""
        except OverBudget:
            lost = "over_budget"
            raise
        except RenderFailure as failure:
            # After a time-out the page may still be running.
            if failure.code not in _TIMEOUT_CODES:
                lost = ""
            raise
        finally:
            if lost:
                self._pool.discard_browser(ready, lost)
            else:
                self._pool.release(ready)
        return result

    def _run_with_page[Result](
        self, work: "Callable[[BrowserPage], Result]", pooled: PooledPage, deadline: Deadline
    ) -> Result:
        # Not before the browser is started, which does not need it.
        from chalicelib.engine.browser.page.page import BrowserPage  # noqa: PLC0415

        running, most = pooled.browser, self._max_page_memory_bytes
        with (
            pooled.page.proxy_port.open() as traffic,
            watch_memory(running.process.memory_bytes, most, running.end) as watch,
        ):
            try:
                return work(BrowserPage(pooled.page, deadline, traffic, running.font_families))
            except (BrowserGone, RenderFailure) as problem:
                if not watch.is_exceeded:
                    raise
                message = (
                    f"the page takes more than {most / 1e9:g} GB of the browser's memory: use "
                    "fewer or smaller pictures and less data in its scripts, or make several "
                    "documents of it"
                )
                raise OverBudget(message) from problem
