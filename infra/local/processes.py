"""Child processes that never outlive the stack: started tied to it, ended with all they started."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO

import psutil

from infra.template import ROOT


class Spawner:
    """Starts every child from one thread, because a tie holds to the thread that made it."""

    def __init__(self) -> None:
        """Start the thread with the first child."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spawner")

    def run[T](self, start: Callable[[], T]) -> T:
        """Run `start` in the spawning thread and return what it returns."""
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
        """Start a command that knows nothing of ties; its group is its own."""
        tether = [
            sys.executable,
            "-S",
            "-E",
            str(Path(__file__).with_name("tether.py")),
        ]
        return self.run(
            lambda: subprocess.Popen(
                [*tether, str(os.getpid()), *command],
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ),
        )

    def close(self) -> None:
        """End the spawning thread; what is tied to it ends too."""
        self._thread.shutdown()


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kill a child and everything below it, also what made a group of its own."""
    family = _family(process.pid)
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue
    process.wait()
    psutil.wait_procs(family, timeout=2)


def _family(pid: int) -> list[psutil.Process]:
    try:
        head = psutil.Process(pid)
        return [head, *head.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
