"""Memory and processor time of processes."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import psutil

# Parts of a stack by a word of the command line.
_PARTS: Final = {
    "ministack.py": "MiniStack",
    "dynoxide": "dynoxide",
    "java": "Java",
    "chromium": "Chromium",
}


class Usage(NamedTuple):
    """Bytes of memory, and seconds of processor time so far."""

    memory: float
    processor_s: float


def tree(pid: int) -> Iterator[psutil.Process]:
    """Yield a process and its descendants."""
    root = psutil.Process(pid)
    yield root
    yield from root.children(recursive=True)


def memory_mb(pid: int) -> float:
    """Return the memory of a process tree in MB, shared memory counted once (PSS)."""
    return sum(usage.memory for usage in usage_by_part(pid).values()) / 1e6


def processor_s(pid: int) -> float:
    """Return the processor time of a process tree, ended processes included.

    Ended processes are counted in hundredths of a second.
    """
    total = 0.0
    for process in tree(pid):
        try:
            times = process.cpu_times()
            total += precise_processor_s(process.pid) + times.children_user + times.children_system
        except (psutil.NoSuchProcess, OSError):
            continue
    return total


def usage_by_part(pid: int) -> Mapping[str, Usage]:
    """Return the usage of a process tree by its parts; the root is `the stack itself`.

    That of ended processes belongs to the part that has started them, except for the root, which
    had only those that prepared its start.
    """
    usages: defaultdict[str, Usage] = defaultdict(lambda: Usage(0, 0))
    for process in tree(pid):
        is_root = process.pid == pid
        try:
            part = "the stack itself" if is_root else _part(process.cmdline())
            memory, times = process.memory_full_info().pss, process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        before = usages[part]
        spent = sum(times[:2] if is_root else times[:4])
        usages[part] = Usage(before.memory + memory, before.processor_s + spent)
    return usages


def _part(words: list[str]) -> str:
    """Return the name of the part that a command line belongs to."""
    if "infra.local.runner.worker" in words:
        return words[-1].removesuffix(".handler.handler")
    line = " ".join(words)
    known = next((name for word, name in _PARTS.items() if word in line), None)
    children = (word for word in words if word.startswith("chalicelib."))
    return known or next(children, line[:30])


def zombie_count(pid: int) -> int:
    """Return how many processes of a tree have ended and are not reaped."""
    count = 0
    for process in tree(pid):
        try:
            count += process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            continue
    return count


def precise_processor_s(pid: int) -> float:
    """Return the processor time of one process to the microsecond; `psutil` counts hundredths."""
    # The id of the clock that counts a process's time on Linux (clock_getcpuclockid(3)).
    return time.clock_gettime((~pid << 3) | 2)


def peak_bytes(pid: int | str = "self") -> int:
    """Return the peak memory of a process alone.

    `getrusage` begins with that of the process that started it.
    """
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])
