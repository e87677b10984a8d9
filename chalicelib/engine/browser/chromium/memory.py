"""How much memory a browser takes, and its end while a page has it take too much."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure

# The fastest page seen takes 0.8 GB in 0.25 s.
_POLL_S: Final = 0.1
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class ProcessSession:
    """The processes of a session; which others there are is looked up once, not at each look."""

    def __init__(self, leader: int) -> None:
        """Look at nothing yet."""
        self._leader = leader
        # Looked at by whoever watches a page, and by whoever makes the next one.
        self._lock = threading.Lock()
        self._member_pids: set[str] = set()
        self._other_pids: set[str] = set()

    def memory_bytes(self) -> int:
        """Return what all of them take: what is each one's own, and once what they share.

        Within 2 % of the kernel's own proportional sum, which takes a hundred times as long and
        which only root may see. See decision 19.
        """
        with self._lock:
            taken = [_memory_pages(member) for member in self._scan_members()]
        own = sum(resident - shared for resident, shared in taken)
        return (own + max((shared for _, shared in taken), default=0)) * _PAGE_BYTES

    def _scan_members(self) -> set[str]:
        entries = set(filter(str.isdigit, os.listdir("/proc")))  # noqa: PTH208 -- names only
        self._member_pids &= entries
        self._other_pids &= entries
        for entry in entries - self._member_pids - self._other_pids:
            ours = _session_id(entry) == self._leader
            (self._member_pids if ours else self._other_pids).add(entry)
        return self._member_pids


def session_pids(leader: int) -> list[int]:
    """Return the ids of the processes of a session; the kernel has no shorter way."""
    return [
        int(entry)
        for entry in os.listdir("/proc")  # noqa: PTH208 -- names are all that is needed
        if entry.isdigit() and _session_id(entry) == leader
    ]


class OverBudget(RenderFailure):
    """The page takes more than it may; its browser may be busy with it for long."""

    def __init__(self, message: str) -> None:
        """Name the budget, and what to change."""
        super().__init__("render_failed", message)


class MemoryWatch:
    """What has become of a browser that is watched."""

    is_exceeded = False


@contextlib.contextmanager
def watch_memory(
    memory_bytes: Callable[[], int], max_bytes: int, end: Callable[[], None]
) -> Iterator[MemoryWatch]:
    """Meanwhile, `end` the browser as soon as it takes more than `max_bytes`."""
    result, over = MemoryWatch(), threading.Event()

    def watch() -> None:
        while not over.wait(_POLL_S):
            if memory_bytes() > max_bytes:
                result.is_exceeded = True
                end()
                return

    thread = threading.Thread(target=watch, name="browser-memory", daemon=True)
    thread.start()
    try:
        yield result
    finally:
        over.set()


def _session_id(entry: str) -> int | None:
    try:
        stat = Path(f"/proc/{entry}/stat").read_bytes()
    except OSError:
        stat = b""
    # The name in parentheses may hold anything; after it come state, parent, group, session.
    words = stat.rpartition(b")")[2].split()
    return int(words[3]) if words else None


def _memory_pages(entry: str) -> tuple[int, int]:
    """Return how many pages are there, and how many of them others may have as well."""
    try:
        words = Path(f"/proc/{entry}/statm").read_bytes().split()
    except OSError:
        words = []
    return (int(words[1]), int(words[2])) if words else (0, 0)
