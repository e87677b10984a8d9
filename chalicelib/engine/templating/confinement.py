"""Takes from the template process what a template has no use for: rights, files, memory, time."""

import ctypes
import os
import resource
import signal
from pathlib import Path
from typing import Final

from chalicelib.engine.templating import limits, system_calls
from chalicelib.engine.templating.fuel import FuelError

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_NOBODY: Final = 65_534
_GRACE_S: Final = 0.6
"""Between the polite end, which knows its place in the template, and the kernel's own."""


def confine(parent: int) -> bool:
    """Give up everything but computing; the process dies with `parent`.

    Returns whether the kernel also took the system calls away; all else is certain.
    """
    baseline = _address_space_bytes()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # A change of user clears it.
    if os.getppid() != parent:
        raise SystemExit
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
        resource.setrlimit(kind, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    memory = baseline + limits.MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGVTALRM, _out_of_time)
    return system_calls.restrict()


def start_clock() -> None:
    """Begin the processor time of one run.

    Interpreted code is interrupted between two steps; a single long call into C never is, so the
    second timer, which nobody handles, ends the process. That one counts the kernel's time, too:
    a call that takes and gives back much memory spends most of its time there.
    """
    signal.setitimer(signal.ITIMER_PROF, limits.CPU_S + _GRACE_S)
    signal.setitimer(signal.ITIMER_VIRTUAL, limits.CPU_S)


def stop_clock() -> None:
    """End the processor time of the run."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)


def peak_memory_bytes() -> int:
    """Return the most memory this process has used at once."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _out_of_time(*_: object) -> None:
    message = f"The template used more than {limits.CPU_S:g} s of processor time."
    raise FuelError(message)


def _address_space_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()
