"""Memory of a browser's processes, and a watch that ends the browser above a limit."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from chalicelib.core.errors import RenderFailure

# The fastest page measured takes 0.3 GB between two looks (decision 19).
_POLL_S: Final = 0.1
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class ProcessSession:
    """Processes of one session; other processes are looked up once, not at each look."""

    def __init__(self, leader: int) -> None:
        """Bind to the session of process `leader`; read nothing yet."""
        self._leader = leader
        # The memory watch and the pool's page executor both call `memory_bytes`.
        self._lock = threading.Lock()
        self._member_pids: set[str] = set()
        self._other_pids: set[str] = set()

    def memory_bytes(self) -> int:
        """Return the private pages of all processes plus the largest shared set, in bytes.

        The sum is within 2 % of the kernel's proportional one (`smaps_rollup`), which costs far
        more and is not readable for sandboxed processes by an ordinary user (decision 19).
        """
        with self._lock:
            usage = [_memory_pages(member) for member in self._scan_members()]
        private = sum(resident - shared for resident, shared in usage)
        return (private + max((shared for _, shared in usage), default=0)) * _PAGE_BYTES

    def _scan_members(self) -> set[str]:
        entries = set(filter(str.isdigit, os.listdir("/proc")))  # noqa: PTH208 -- names only
        self._member_pids &= entries
        self._other_pids &= entries
        for entry in entries - self._member_pids - self._other_pids:
            is_member = _session_id(entry) == self._leader
            (self._member_pids if is_member else self._other_pids).add(entry)
        return self._member_pids


def session_pids(leader: int) -> list[int]:
    """Return the ids of a session's running processes; the kernel offers no direct query."""
    return [
        int(entry)
        for entry in os.listdir("/proc")  # noqa: PTH208 -- names are all that is needed
        if entry.isdigit() and _session_id(entry) == leader
    ]


class OverBudget(RenderFailure):
    """The page exceeds its budget of memory or nodes; its browser may stay busy with it."""

    def __init__(self, message: str) -> None:
        """Build the failure; `message` names the budget and the remedy."""
        super().__init__("render_failed", message)


class MemoryWatch:
    """Result of `watch_memory`; `is_exceeded` tells whether it ended the browser."""

    is_exceeded = False


@contextlib.contextmanager
def watch_memory(
    memory_bytes: Callable[[], int], max_bytes: int, end: Callable[[], None]
) -> Iterator[MemoryWatch]:
    """Call `end` as soon as `memory_bytes()` exceeds `max_bytes` within the context.

    A limit of the kernel (`RLIMIT_AS`, `RLIMIT_DATA`) does not work: pages reserve 17 GB of
    address space without using it (decision 19).
    """
    result, is_over = MemoryWatch(), threading.Event()

    def watch() -> None:
        while not is_over.wait(_POLL_S):
            if memory_bytes() > max_bytes:
                result.is_exceeded = True
                end()
                return

    thread = threading.Thread(target=watch, name="browser-memory", daemon=True)
    thread.start()
    try:
        yield result
    finally:
        is_over.set()


def _session_id(entry: str) -> int | None:
    try:
        stat = Path(f"/proc/{entry}/stat").read_bytes()
    except OSError:
        stat = b""
    # The process name in parentheses may contain anything, so split after the last one. The
    # fields that follow are state, parent, group and session (proc(5)). A process that has just
    # ended has no file, or is a zombie until its parent reaps it.
    words = stat.rpartition(b")")[2].split()
    return int(words[3]) if words and words[0] != b"Z" else None


def _memory_pages(entry: str) -> tuple[int, int]:
    """Return the resident pages and, of these, the shared ones; zeros for an ended process."""
    try:
        words = Path(f"/proc/{entry}/statm").read_bytes().split()
    except OSError:
        words = []
    return (int(words[1]), int(words[2])) if words else (0, 0)
