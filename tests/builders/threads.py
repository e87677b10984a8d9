"""Threads that begin a call together and are interrupted as often as possible."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.builders.waiting import PATIENCE_S


def at_once[Result](call: Callable[[], Result], *, threads: int = 32) -> list[Result]:
    """Return the results of `call` in these threads; raise the first error."""
    return all_at_once([call] * threads)


def all_at_once[Result](calls: list[Callable[[], Result]]) -> list[Result]:
    """Return the results of these calls, each in its own thread; raise the first error."""
    barrier = threading.Barrier(len(calls), timeout=PATIENCE_S)

    def run(call: Callable[[], Result]) -> Result:
        barrier.wait()
        return call()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(run, calls))
    finally:
        sys.setswitchinterval(interval)
