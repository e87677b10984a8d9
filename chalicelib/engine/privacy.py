"""What this process knows stays its own, also where a page's process is of the same user."""

import ctypes
from typing import Final

_PR_SET_DUMPABLE: Final = 4


def keep_to_itself() -> None:
    """Let no other process of this user read this one's environment and memory, or trace it.

    Where the platform is the sandbox, as on Lambda, a page's process that broke out of the browser
    is such a process; the credentials of the function are in its environment.
    """
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
