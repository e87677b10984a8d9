"""The browser as the rest of the engine knows it: a fresh page for each, and its bounds."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.launch import Launcher, Ready
from chalicelib.engine.browser.memory import OverBudget, watched
from chalicelib.engine.browser.pipe import BrowserGone
from chalicelib.engine.browser.process import BrowserProcess
from chalicelib.engine.browser.supply import Supply, Wear
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.outside import Nowhere, Outside

if TYPE_CHECKING:
    from chalicelib.engine.browser.page import Page

log = logging.getLogger(__name__)

RENDERS_PER_PROCESS: Final = 200
# What a page may have its browser take.
PAGE_MEMORY_BYTES: Final = 1_500_000_000
# What is still there after a render is not the next page's to bear.
KEPT_MEMORY_BYTES: Final = 600_000_000
_TIME_OUTS: Final = frozenset({"wait_timeout", "render_timeout"})


class Browser:
    """A browser for one render at a time; callers of `use` wait for each other."""

    def __init__(  # noqa: PLR0913 -- each is a setting of its own
        self,
        chromium: Path,
        fonts: Path,
        *,
        outside: Outside | None = None,
        authorities: Path | None = None,
        sandbox: bool = True,
        renders_per_process: int = RENDERS_PER_PROCESS,
        page_memory_bytes: int = PAGE_MEMORY_BYTES,
        kept_memory_bytes: int = KEPT_MEMORY_BYTES,
        recycled: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `outside` is the pages' only way to other machines; without it there is none. `authorities`
        is a PEM file of whom to trust beside the browser's own. `recycled` learns why a browser was
        ended: `worn`, `lost` (with its page, or the page may still be running), `over_budget` or
        `no_spare`.
        """
        self._page_memory_bytes = page_memory_bytes
        self._busy = threading.Lock()
        self._supply = Supply(
            Launcher(chromium, fonts, outside or Nowhere(), authorities, sandbox=sandbox),
            Wear(renders_per_process, kept_memory_bytes),
            recycled,
        )

    def start(self) -> None:
        """Start the browser and make the first spare; raises when it cannot do its work."""
        self.prepare().result()

    def use[Result](self, work: "Callable[[Page], Result]", deadline: Deadline) -> Result:
        """Give `work` a fresh page; once more with a new browser if this one dies or hangs.

        Raises RenderFailure: what `work` raises, `render_timeout`, or `render_failed` when the
        page takes too much memory, or the second browser was lost as well. Raises BrowserUnusable
        when there is none to be had.
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

    def prepare(self) -> Future[Any]:
        """Make the next spare in the background, if that has not begun; returns at once."""
        return self._supply.prepare()

    @property
    def warm(self) -> bool:
        """Tell whether the next render finds a spare that is ready."""
        return self._supply.warm

    @property
    def processes(self) -> list[BrowserProcess]:
        """Return the browser in use, if there is one, and the one that stands by, if it does."""
        return [running.process for running in self._supply.running]

    @property
    def pids(self) -> list[int]:
        """Return the ids of all processes, those of the browser in use first."""
        return [pid for process in self.processes for pid in process.pids()]

    def close(self) -> None:
        """End the browser; a later use starts it again."""
        with self._busy:
            self._supply.close()

    def _attempt[Result](self, work: "Callable[[Page], Result]", deadline: Deadline) -> Result:
        ready, lost = self._supply.take(deadline), "lost"
        try:
            result = self._worked(work, ready, deadline)
            lost = ""
        except OverBudget:
            lost = "over_budget"
            raise
        except RenderFailure as failure:
            # After a time-out the page may still be running.
            if failure.code not in _TIME_OUTS:
                lost = ""
            raise
        finally:
            if lost:
                self._supply.lose(ready, lost)
            else:
                self._supply.give_back(ready)
        return result

    def _worked[Result](
        self, work: "Callable[[Page], Result]", ready: Ready, deadline: Deadline
    ) -> Result:
        # Not before the browser is started, which does not need it.
        from chalicelib.engine.browser.page import Page  # noqa: PLC0415

        running, most = ready.running, self._page_memory_bytes
        with (
            ready.spare.gate.open() as traffic,
            watched(running.process.memory_bytes, most, running.end) as watch,
        ):
            try:
                return work(Page(ready.spare, deadline, traffic, running.font_families))
            except (BrowserGone, RenderFailure) as problem:
                if not watch.exceeded:
                    raise
                message = (
                    f"the page takes more than {most / 1e9:g} GB of the browser's memory: use "
                    "fewer or smaller pictures and less data in its scripts, or make several "
                    "documents of it"
                )
                raise OverBudget(message) from problem
