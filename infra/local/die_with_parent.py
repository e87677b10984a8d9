"""Parent-death signal: ends a process when its parent ends, even by SIGKILL.

As a program it sets the signal and then becomes the given command:
`python -m infra.local.die_with_parent <pid of the parent> <command> …`. Standard library only.
"""

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_parent(parent: int, signal_number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to signal this process when `parent` ends; exit if it has ended already.

    The kernel watches the *thread* that created this process, so the parent must start it from a
    thread that lives as long as the stack. The setting survives exec, but not fork (prctl(2)).
    """
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 -- replacing this process is the purpose
