"""Servers of benchmarks in processes of their own, so that they compete with no measurement.

A server tells its state once for each line of its input. It ends when its input does, so also when
the process of the benchmark is killed.
"""

import asyncio
import subprocess
import sys
from collections.abc import Callable

from infra.template import ROOT


class ServerProcess:
    """Running server."""

    def __init__(self, module: str, *arguments: str) -> None:
        """Start a module as a program; return when it serves."""
        command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.state()

    def state(self) -> str:
        """Return the server's state."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the server has ended"
        return answer

    def close(self) -> None:
        """End the server."""
        self._process.communicate()


async def tell(state: Callable[[], str]) -> None:
    """Tell the state of a server, which runs, until the input ends."""
    while await asyncio.to_thread(sys.stdin.readline):
        print(state(), flush=True)
