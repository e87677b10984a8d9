"""The process between us and the browser: whatever happens to us, the browser ends with it.

Run as a script. It gives up root, makes a home for the browser, starts it in a process group of
its own and waits. When its standard input closes (we closed it, or we died) or the browser ends, it
kills every descendant and removes the home. Standard library only, and everything imported before
root is given up: afterwards the interpreter may be out of reach.

The browser waits for every import: json, shutil, signal, contextlib, typing and pathlib would take
more than twice as long as all the rest.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import select
import sys

# As typing has it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Final

SIGKILL: Final = 9
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def main(
    account: str, home: str, font_cache: str, protocol_in: str, protocol_out: str, *rest: str
) -> int:
    """Run the browser until it or its owner ends; return the browser's exit status.

    `account` is `uid:gid`, or empty where there is none to change to. From `from_owner` the browser
    reads the protocol, to `to_owner` it writes. `rest` is its environment as `name=value`, `--`,
    and its command.
    """
    _drop_privileges(account)
    os.umask(0o077)
    os.mkdir(home)  # noqa: PTH102
    if os.path.isdir(font_cache):  # noqa: PTH112
        # Looking through the fonts takes half of the browser's start.
        _copy_files(font_cache, f"{home}/cache/fontconfig")
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    end = rest.index("--")
    environment, command = dict(entry.split("=", 1) for entry in rest[:end]), rest[end + 1 :]
    descriptors = int(protocol_in), int(protocol_out)
    browser = os.fork()
    if browser == 0:
        _exec_browser(command, environment, descriptors, home)
    for descriptor in descriptors:
        os.close(descriptor)
    os.write(1, f"{browser}\n".encode())
    _wait_for_end(browser)
    status = _kill_all(browser)
    _remove_home(home)
    return os.waitstatus_to_exitcode(status) & 0xFF


def _drop_privileges(account: str) -> None:
    if not account:
        return
    uid, gid = map(int, account.split(":"))
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def _copy_files(source: str, target: str) -> None:
    os.makedirs(target)  # noqa: PTH103
    for entry in filter(os.DirEntry.is_file, os.scandir(source)):
        with open(entry.path, "rb") as read, open(f"{target}/{entry.name}", "xb") as written:  # noqa: PTH123
            written.write(read.read())
        # As old as what it is a copy of.
        os.utime(f"{target}/{entry.name}", ns=(entry.stat().st_atime_ns, entry.stat().st_mtime_ns))


def _exec_browser(
    command: Sequence[str],
    environment: Mapping[str, str],
    descriptors: tuple[int, int],
    home: str,
) -> None:
    try:
        os.setpgid(0, 0)
        # The kernel forgets this at a change of user, so it comes after it.
        _LIBC.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
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


def _wait_for_end(browser: int) -> None:
    watched = select.poll()
    watched.register(os.pidfd_open(browser), select.POLLIN)
    watched.register(0, select.POLLIN | select.POLLHUP)
    watched.poll()


def _kill_all(browser: int) -> int:
    """Kill the group, then whatever else descends from the browser; return its wait status."""
    status = 0
    try:  # noqa: SIM105
        os.killpg(browser, SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        for child in _children():
            os.kill(child, SIGKILL)
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


def _remove_home(home: str) -> None:
    """Remove what the browser has left; what cannot be removed is left to our owner."""
    for folder, folders, files in os.walk(home, topdown=False):
        for name in files:
            _try_remove(os.unlink, f"{folder}/{name}")
        for name in folders:
            path = f"{folder}/{name}"
            _try_remove(os.unlink if os.path.islink(path) else os.rmdir, path)  # noqa: PTH114
    _try_remove(os.rmdir, home)


def _try_remove(remove: Callable[[str], None], path: str) -> None:
    try:  # noqa: SIM105
        remove(path)
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
