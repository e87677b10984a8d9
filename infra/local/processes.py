"""Child processes that never outlive the stack, nor do their own children."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Final

import psutil

from infra.template import ROOT

_GRACE_S: Final = 0.5
_KILL_TIMEOUT_S: Final = 2.0


class Spawner:
    """Spawner of children from a single thread, which the parent-death signal is bound to."""

    def __init__(self) -> None:
        """Create the executor; its thread starts with the first child."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spawner")

    def run[T](self, start: Callable[[], T]) -> T:
        """Run `start` in the spawning thread and return its result."""
        future: Future[T] = self._thread.submit(start)
        return future.result()

    def start(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        output: int | IO[bytes],
        folder: Path = ROOT,
    ) -> "subprocess.Popen[bytes]":
        """Start a command in its own session, wrapped by `die_with_parent`."""
        wrapper = [
            sys.executable,
            "-S",
            "-E",
            str(Path(__file__).with_name("die_with_parent.py")),
        ]
        return self.run(
            lambda: subprocess.Popen(
                [*wrapper, str(os.getpid()), *command],
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ),
        )

    def close(self) -> None:
        """End the spawning thread; the kernel then ends its children."""
        self._thread.shutdown()


def kill_process_trees(*processes: "subprocess.Popen[bytes]") -> None:
    """Kill processes at once, and their descendants after a grace period."""
    # The id of one that has ended may be that of a stranger by now.
    running = [process for process in processes if process.poll() is None]
    members = [member for process in running for member in _process_tree(process.pid)]
    for process in running:
        process.kill()
    for process in running:
        process.wait()
    if _wait_until_ended(members, _GRACE_S):
        return
    for member in members:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    _wait_until_ended(members, _KILL_TIMEOUT_S)


def _wait_until_ended(members: Sequence[psutil.Process], within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while any(map(_is_running, members)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _is_running(member: psutil.Process) -> bool:
    """Tell whether a process still runs; a zombie, which its own parent reaps, does not."""
    try:
        return member.is_running() and member.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _process_tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
