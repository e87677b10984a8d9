"""The process between us and the browser: whatever happens to us, the browser ends with it.

Run as a script with a JSON description as its only argument. It gives up root, makes a home for
the browser, starts it in a process group of its own and waits. When its standard input closes
(we closed it, or we died) or the browser ends, it kills every descendant and removes the home.
Standard library only, and everything imported before root is given up: afterwards the interpreter
may be out of reach.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import shutil
import signal
import sys

# As typing has it. The browser waits for every import: typing and pathlib would be a fifth.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def main(description: Mapping[str, Any]) -> int:
    """Run the browser until it or its owner ends; return the browser's exit status."""
    _give_up_root(description["uid"], description["gid"])
    os.umask(0o077)
    home = description["home"]
    os.mkdir(home)  # noqa: PTH102
    if os.path.isdir(description["remembered_fonts"]):  # noqa: PTH112
        # Looking through the fonts takes half of the browser's start.
        shutil.copytree(description["remembered_fonts"], f"{home}/cache/fontconfig")
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    descriptors = description["from_owner"], description["to_owner"]
    browser = os.fork()
    if browser == 0:
        _become(description["command"], description["environment"], descriptors, home)
    for descriptor in descriptors:
        os.close(descriptor)
    os.write(1, f"{browser}\n".encode())
    _wait(browser)
    status = _end_all(browser)
    shutil.rmtree(home, ignore_errors=True)
    return os.waitstatus_to_exitcode(status) & 0xFF


def _give_up_root(uid: int | None, gid: int | None) -> None:
    if uid is None or gid is None:
        return
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def _become(
    command: Sequence[str],
    environment: Mapping[str, str],
    descriptors: tuple[int, int],
    home: str,
) -> None:
    try:
        os.setpgid(0, 0)
        # The kernel forgets this at a change of user, so it comes after it.
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Chromium reads the protocol from descriptor 3 and writes it to 4.
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in descriptors]
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open(f"{home}/stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
        os.dup2(1, 2)
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)
        os.closerange(5, 256)
        os.chdir(home)
        os.execve(command[0], list(command), dict(environment))  # noqa: S606 -- that is its task
    finally:
        os._exit(127)


def _wait(browser: int) -> None:
    watched = select.poll()
    watched.register(os.pidfd_open(browser), select.POLLIN)
    watched.register(0, select.POLLIN | select.POLLHUP)
    watched.poll()


def _end_all(browser: int) -> int:
    """Kill the group, then whatever else descends from the browser; return its wait status."""
    status = 0
    with contextlib.suppress(ProcessLookupError):
        os.killpg(browser, signal.SIGKILL)
    while True:
        for child in _children():
            os.kill(child, signal.SIGKILL)
        try:
            ended, found = os.wait()
        except ChildProcessError:
            return status
        if ended == browser:
            status = found


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:  # noqa: PTH123
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
