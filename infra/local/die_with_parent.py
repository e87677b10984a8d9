"""Ties a process to the life of its parent, also when the parent is killed with signal 9.

Run as a program it ties itself and becomes the given command:
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

    The kernel watches the *thread* that made this process, so processes are to be started from a
    thread that lives as long as the stack does. The setting survives exec, not fork.
    """
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 -- becoming the command is the purpose
