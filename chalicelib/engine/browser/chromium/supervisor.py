"""Supervisor process of the browser: ends it with its owner.

Runs as a script. It drops root, creates the browser's home, starts the browser in its own process
group and waits. When standard input closes (the owner closed it, or died) or the browser ends, it
kills every descendant and removes the home. Standard library only. Everything is imported before
root is dropped: afterwards the interpreter's files may be unreadable.

The start of the browser waits for every import here: json, shutil, signal, contextlib, typing and
pathlib would more than double the time.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import select
import sys

# Stands in for typing.TYPE_CHECKING, whose import costs too much.
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

    `account` is `uid:gid`, or empty to keep the current user. The browser reads the protocol from
    descriptor `protocol_in` and writes it to `protocol_out`. `rest` is its environment as
    `name=value`, then `--`, then its command.
    """
    _drop_privileges(account)
    os.umask(0o077)
    os.mkdir(home)  # noqa: PTH102
    if os.path.isdir(font_cache):  # noqa: PTH112
        # With a copied cache fontconfig need not scan all fonts at each start (decision 8).
        _copy_files(font_cache, f"{home}/cache/fontconfig")
    # Orphaned descendants become children of this process, so that none escapes `_kill_all`.
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
        with open(entry.path, "rb") as reader, open(f"{target}/{entry.name}", "xb") as writer:  # noqa: PTH123
            writer.write(reader.read())
        # fontconfig compares times to find out whether its cache is current.
        os.utime(f"{target}/{entry.name}", ns=(entry.stat().st_atime_ns, entry.stat().st_mtime_ns))


def _exec_browser(
    command: Sequence[str],
    environment: Mapping[str, str],
    descriptors: tuple[int, int],
    home: str,
) -> None:
    try:
        os.setpgid(0, 0)
        # A change of user clears this setting, so it is made afterwards.
        _LIBC.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
        _LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # `--remote-debugging-pipe` reads from descriptor 3 and writes to 4. Both descriptors move
        # above that range first, so that dup2 overwrites neither.
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in descriptors]
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open(f"{home}/stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
        os.dup2(1, 2)
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)
        os.closerange(5, 256)
        os.chdir(home)
        os.execve(command[0], list(command), dict(environment))  # noqa: S606 -- starts the browser
    finally:
        os._exit(127)


def _wait_for_end(browser: int) -> None:
    poller = select.poll()
    poller.register(os.pidfd_open(browser), select.POLLIN)
    poller.register(0, select.POLLIN | select.POLLHUP)
    poller.poll()


def _kill_all(browser: int) -> int:
    """Kill the group, then all other descendants; return the browser's wait status."""
    status = 0
    try:  # noqa: SIM105
        os.killpg(browser, SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        for child in _children():
            os.kill(child, SIGKILL)
        try:
            ended, ended_status = os.wait()
        except ChildProcessError:
            return status
        if ended == browser:
            status = ended_status


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:  # noqa: PTH123
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _remove_home(home: str) -> None:
    """Remove the browser's home; the owner removes what this process cannot."""
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
