"""Acts on a process of which a test knows that it works."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

import psutil

from tests.builders.waiting import eventually

# More than a process uses for reading a request.
_WORK_S: Final = 0.03


@contextmanager
def when_busy(process: psutil.Process, act: Callable[[], object]) -> Iterator[None]:
    """Act once the process has begun to work in the block; it stands still meanwhile."""
    before_s = _used_s(process)

    def wait_and_act() -> None:
        eventually(lambda: _used_s(process) > before_s + _WORK_S)
        process.suspend()
        act()

    thread = Thread(target=wait_and_act)
    thread.start()
    yield
    thread.join()


def _used_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
