"""One worker process seen from the stack."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from infra.local.processes import Spawner, end
from infra.local.runner.frames import Channel
from infra.local.runner.output import Output
from infra.template import ROOT

MAX_ANSWER_BYTES: Final = 6_291_556


class Handled(Protocol):
    """Whatever names a handler as `module.attribute`."""

    @property
    def handler(self) -> str:
        """Return the handler's name."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What an invocation came to.

    `error` is Lambda's `Unhandled` or None, `request_id` what the event itself called its request.
    """

    payload: bytes
    error: str | None = None
    request_id: str | None = None


class Worker:
    """A process that runs one invocation at a time; `log` gets each line that it writes."""

    def __init__(
        self,
        function: Handled,
        environment: Mapping[str, str],
        spawner: Spawner,
        log: Callable[[str], None],
        *,
        python: Sequence[str] = (sys.executable,),
        folder: Path = ROOT,
    ) -> None:
        """Start the process in `folder`; it is ready once `wait_until_ready` returns."""
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours)
        command = [*python, "-m", "infra.local.runner.worker"]
        arguments = [str(theirs.fileno()), str(os.getpid()), function.handler]
        with theirs, contextlib.ExitStack() as unless_started:
            unless_started.callback(self.channel.close)
            self.process: subprocess.Popen[bytes] = spawner.run(
                lambda: subprocess.Popen(
                    [*command, *arguments],
                    cwd=folder,
                    env=dict(environment),
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    bufsize=0,
                ),
            )
            unless_started.pop_all()
        assert self.process.stdout is not None
        self.output = Output(self.process.stdout, log)
        self.idle_since = time.monotonic()
        threading.Thread(target=self.output.follow, daemon=True).start()

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.process.pid

    def wait_until_ready(self) -> Answer | None:
        """Wait for the handler's import; return what went wrong or None."""
        try:
            head, payload = self.channel.receive()
        except EOFError:
            return self.died("init")
        return None if head["status"] == "ready" else Answer(payload, "Unhandled")

    def alive(self) -> bool:
        """Tell whether the process still runs."""
        return self.process.poll() is None

    def died(self, request_id: str) -> Answer:
        """Return Lambda's answer for a process that ended in the middle."""
        try:
            code = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            code = 0
        how = f"exit status {code}" if code >= 0 else f"signal: {-code}"
        return failure(
            "Runtime.ExitError",
            f"RequestId: {request_id} Error: Runtime exited with error: {how}",
        )

    def kill(self) -> None:
        """End the process and all it started, at once."""
        end(self.process)
        self.channel.close()

    def retire(self) -> None:
        """Let the process end by itself, as nothing more will come; kill it if it stays."""
        self.channel.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            end(self.process)


def kill(workers: Sequence[Worker]) -> None:
    """End several processes at once."""
    end(*(worker.process for worker in workers))
    for worker in workers:
        worker.channel.close()


def failure(kind: str, message: str, **more: Any) -> Answer:
    """Return an answer in the form of Lambda's own failures."""
    body = {"errorType": kind, "errorMessage": message, **more}
    return Answer(json.dumps(body).encode(), "Unhandled")


def timed_out(request_id: str, timeout_s: float) -> Answer:
    """Return the answer of an invocation that took too long."""
    message = f"RequestId: {request_id} Error: Task timed out after {timeout_s:.2f} seconds"
    return failure("Sandbox.Timedout", message)


def checked(head: Mapping[str, Any], payload: bytes) -> Answer:
    """Return what a worker answered, unless it is larger than Lambda takes."""
    if head["status"] != "ok":
        return Answer(payload, "Unhandled", head.get("request_id"))
    if len(payload) > MAX_ANSWER_BYTES:
        message = (
            "Response payload size exceeded maximum allowed payload size "
            f"({MAX_ANSWER_BYTES} bytes)."
        )
        return failure("Function.ResponseSizeTooLarge", message)
    return Answer(payload, request_id=head.get("request_id"))
