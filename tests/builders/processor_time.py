"""Processor time of the processes below this one."""

import resource
from contextlib import suppress

import psutil


def children_s() -> float:
    """Return the processor time of all processes that this one has started, and their own, in s.

    Those that have ended count, too.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = ended.ru_utime + ended.ru_stime
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            # Besides its own, the time of its children that have ended.
            used += sum(child.cpu_times()[:4])
    return used
