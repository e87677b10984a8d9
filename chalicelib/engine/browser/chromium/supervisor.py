"""Supervisor process of the browser: ends it with its owner.

Runs as a script, as the leader of a session. It drops root, creates the browser's home, starts the
browser in its own process group and waits. When standard input closes (the owner closed it, or
died) or the browser ends, it kills the session and removes the home. When it is killed itself, the
kernel kills the browser's group. Neither needs `prctl` or a descriptor of a process (decision 31).
Standard library only. Everything is imported before root is dropped: afterwards the interpreter's
files may be unreadable.

The start of the browser waits for every import here: json, shutil, signal, contextlib, typing and
pathlib would more than double the time.
"""

from __future__ import annotations

import _thread
import ctypes
import fcntl
import os
import resource
import select
import sys
import time

# Stands in for typing.TYPE_CHECKING, whose import costs too much.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Final

SIGKILL: Final = 9
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_RESCAN_S: Final = 0.002
# Descriptors of the browser: those of its protocol (`--remote-debugging-pipe`), and the lifeline.
PROTOCOL_IN: Final = 3
PROTOCOL_OUT: Final = 4
LIFELINE: Final = 5


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
    # Where the kernel allows it, orphans become children of this process and are reaped here.
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    has_new_privileges = _LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end = rest.index("--")
    environment, command = dict(entry.split("=", 1) for entry in rest[:end]), rest[end + 1 :]
    # The browser holds the end to read, and only this process the end to write.
    lifeline, own_end = os.pipe()
    descriptors = int(protocol_in), int(protocol_out), lifeline
    browser = os.fork()
    if browser == 0:
        os.close(own_end)
        _exec_browser(command, environment, descriptors, home)
    for descriptor in descriptors:
        os.close(descriptor)
    # The owner knows these names as walls (engine/sandbox/walls.py).
    missing = "no_new_privileges" if has_new_privileges else ""
    os.write(1, f"{browser} {missing}\n".encode())
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
    descriptors: tuple[int, int, int],
    home: str,
) -> None:
    try:
        os.setpgid(0, 0)
        _die_with_supervisor(descriptors[2])
        # They move above the range of their targets first, so that dup2 overwrites none.
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in descriptors]
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open(f"{home}/stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
        os.dup2(1, 2)
        for descriptor, target in zip(high, (PROTOCOL_IN, PROTOCOL_OUT, LIFELINE), strict=True):
            os.dup2(descriptor, target)
        os.closerange(LIFELINE + 1, 256)
        os.chdir(home)
        os.execve(command[0], list(command), dict(environment))  # noqa: S606 -- starts the browser
    finally:
        os._exit(127)


def _die_with_supervisor(lifeline: int) -> None:
    """Let the kernel kill this process group when the other end of the lifeline closes."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC)
    poller = select.poll()
    poller.register(lifeline, 0)
    if poller.poll(0):
        os._exit(127)


def _wait_for_end(browser: int) -> None:
    has_ended, end_to_close = os.pipe()
    _thread.start_new_thread(_close_after_end, (browser, end_to_close))
    poller = select.poll()
    for descriptor in (0, has_ended):
        poller.register(descriptor, select.POLLIN)
    poller.poll()


def _close_after_end(browser: int, descriptor: int) -> None:
    try:
        # WNOWAIT: the id of an unreaped process cannot be given to another one.
        os.waitid(os.P_PID, browser, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        # The supervisor got its order to end before, and has reaped the browser.
        return
    os.close(descriptor)


def _kill_all(browser: int) -> int:
    """Kill the browser's group, then the rest of the session; return the browser's wait status."""
    _try_kill(os.killpg, browser)
    # Just after the fork it has no group of its own yet.
    _try_kill(os.kill, browser)
    _, status = os.waitpid(browser, 0)
    while others := _live_processes():
        for pid in others:
            _try_kill(os.kill, pid)
        time.sleep(_RESCAN_S)
    return status


def _try_kill(kill: Callable[[int, int], None], target: int) -> None:
    try:  # noqa: SIM105
        kill(target, SIGKILL)
    except ProcessLookupError:
        pass


def _live_processes() -> list[int]:
    """Reap ended children; return the other processes of this session and all other children."""
    own = os.getpid()
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    pids = []
    for entry in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                # After the name in parentheses: state, parent, group and session (proc(5)).
                state, parent, _, session = file.read().rpartition(b")")[2].split()[:4]
        except OSError:
            continue
        if own in {int(parent), int(session)} and int(entry) != own and state != b"Z":
            pids.append(int(entry))
    return pids


def _remove_home(home: str) -> None:
    """Remove the browser's home; the owner removes the parts that this process cannot."""
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
