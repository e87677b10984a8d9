"""Loops of bare browsers on all cores: the reference of benchmarks of many renders."""

import multiprocessing
import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from infra.bench.bare_browser import BareBrowser
from infra.bench.processes import processor_s


class BareRate(NamedTuple):
    """Pages per second of all loops, and the processor time of a page in seconds."""

    rate: float
    processor_s: float


class BareLoops(NamedTuple):
    """Loops that print one document, as many as there are cores, each in its own process."""

    html: str
    options: Mapping[str, Any]
    seconds: float
    # Each print has a fresh context; otherwise a loop has one page.
    is_fresh: bool
    loops: int = os.cpu_count() or 1

    def run(self) -> BareRate:
        """Run all loops at once."""
        with multiprocessing.get_context("spawn").Pool(self.loops) as pool:
            done = pool.map(_run_loop, [self] * self.loops, chunksize=1)
        pages = sum(count for count, _ in done)
        return BareRate(pages / self.seconds, sum(spent for _, spent in done) / pages)


def _run_loop(loop: BareLoops) -> tuple[int, float]:
    """Return the pages of a loop, and its processor time with that of its browser."""
    with BareBrowser() as browser:
        page = browser.page()
        browser.print_document(page, loop.html, loop.options)
        before, count = processor_s(os.getpid()), 0
        until = time.perf_counter() + loop.seconds
        while time.perf_counter() < until or not count:
            if loop.is_fresh:
                with browser.fresh_context() as context:
                    browser.print_document(browser.page(context), loop.html, loop.options)
            else:
                browser.print_document(page, loop.html, loop.options)
            count += 1
        return count, processor_s(os.getpid()) - before
