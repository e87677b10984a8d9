"""Worker process of a function, as seen from the stack."""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, Protocol

from infra.local.processes import Spawner, kill_process_trees
from infra.local.runner.frames import Channel
from infra.template import ROOT

# Lambda's own bound.
MAX_ANSWER_BYTES: Final = 6_291_556
# More than a pipe holds, so one read takes everything that was written before it.
_CHUNK: Final = 1 << 20
_EXIT_TIMEOUT_S: Final = 10.0
# A start takes a second; many at once take turns, and a machine may swap.
_START_TIMEOUT_S: Final = 60.0


class HasHandler(Protocol):
    """Port: anything with a handler name."""

    @property
    def handler(self) -> str:
        """Return the handler as `module.attribute`."""
        ...


@dataclass(frozen=True, slots=True)
class InvocationAnswer:
    """Answer of an invocation.

    `error` is Lambda's `Unhandled` or None; `request_id` is the id that the event itself carries.
    `has_timed_out`: the function took longer than its timeout.
    """

    payload: bytes
    error: str | None = None
    request_id: str | None = None
    has_timed_out: bool = False


class Worker(Protocol):
    """Port: a process or a thread that serves one invocation at a time."""

    channel: Channel
    idle_since: float
    # The tenant that it has served, if its function isolates tenants.
    tenant: str | None
    # The workspace that it works for now, if its function has shares.
    owner: str | None

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """Return its process."""
        ...

    def wait_until_ready(self) -> InvocationAnswer | None:
        """Wait until the handler is imported; return the failure, or None."""
        ...

    def may_serve(self, tenant: str | None) -> bool:
        """Tell whether it has served no other tenant."""
        ...

    def is_alive(self) -> bool:
        """Tell whether it can serve another invocation."""
        ...

    def exit_failure(self, request_id: str) -> InvocationAnswer:
        """Return Lambda's answer for a process that ended during an invocation."""
        ...

    def kill(self) -> None:
        """End it, although it may be busy."""
        ...

    def retire(self) -> None:
        """End it while it is idle."""
        ...


class WorkerProcess:
    """Process that runs invocations of a function; `log` gets each line that it writes."""

    def __init__(
        self,
        function: HasHandler,
        environment: Mapping[str, str],
        spawner: Spawner,
        log: Callable[[str], None],
        *,
        python: Sequence[str] = (sys.executable,),
        folder: Path = ROOT,
    ) -> None:
        """Start the process in `folder`; it is ready once `wait_until_ready` returns.

        With the variable `RUNNER_THREADS` it serves no events on `channel`, but on each socket that
        is sent there.
        """
        own_end, worker_end = socket.socketpair()
        self.channel = Channel(own_end)
        command = [*python, "-m", "infra.local.runner.worker"]
        arguments = [str(worker_end.fileno()), str(os.getpid()), function.handler]
        with worker_end, contextlib.ExitStack() as unless_started:
            unless_started.callback(self.channel.close)
            self._process: subprocess.Popen[bytes] = spawner.run(
                lambda: subprocess.Popen(
                    [*command, *arguments],
                    cwd=folder,
                    env=dict(environment),
                    pass_fds=[worker_end.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    # Ctrl-C in the terminal reaches the stack alone, which ends its workers itself.
                    start_new_session=True,
                    bufsize=0,
                ),
            )
            unless_started.pop_all()
        assert self._process.stdout is not None
        self.output = WorkerOutput(self._process.stdout, log)
        self.idle_since = time.monotonic()
        self.tenant: str | None = None
        self.owner: str | None = None
        threading.Thread(target=self.output.follow, daemon=True).start()

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """Return the process."""
        return self._process

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.process.pid

    def wait_until_ready(self) -> InvocationAnswer | None:
        """Wait until the handler is imported; return the failure, or None."""
        try:
            head, payload = self.channel.receive(time.monotonic() + _START_TIMEOUT_S)
        except EOFError:
            return self.exit_failure("init")
        except TimeoutError:
            message = f"Its process was not ready after {_START_TIMEOUT_S:g} s"
            return lambda_failure("Sandbox.StartFailed", message)
        return None if head["status"] == "ready" else InvocationAnswer(payload, "Unhandled")

    def may_serve(self, tenant: str | None) -> bool:
        """Tell whether the process has served no other tenant."""
        return self.tenant in {None, tenant}

    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self.process.poll() is None

    def exit_failure(self, request_id: str) -> InvocationAnswer:
        """Return Lambda's answer for a process that ended during an invocation."""
        try:
            # Its pipe closes before its end can be seen: on a busy machine, seconds before.
            code = self.process.wait(timeout=_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = 0
        how = f"exit status {code}" if code >= 0 else f"signal: {-code}"
        return lambda_failure(
            "Runtime.ExitError",
            f"RequestId: {request_id} Error: Runtime exited with error: {how}",
        )

    def kill(self) -> None:
        """Kill the process and its descendants."""
        kill_process_trees(self.process)
        self.channel.close()

    def retire(self) -> None:
        """Close the channel, on which the process exits; kill it after two seconds."""
        self.channel.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            kill_process_trees(self.process)


def kill_workers(workers: Sequence[Worker]) -> None:
    """Kill the processes of workers, all at once."""
    kill_process_trees(*{worker.process for worker in workers})
    for worker in workers:
        worker.retire()


def lambda_failure(kind: str, message: str, **more: Any) -> InvocationAnswer:
    """Return an answer in the form of Lambda's own failures."""
    body = {"errorType": kind, "errorMessage": message, **more}
    return InvocationAnswer(json.dumps(body).encode(), "Unhandled")


def timeout_failure(request_id: str, timeout_s: float) -> InvocationAnswer:
    """Return the answer of an invocation that took too long."""
    message = f"RequestId: {request_id} Error: Task timed out after {timeout_s:.2f} seconds"
    return replace(lambda_failure("Sandbox.Timedout", message), has_timed_out=True)


def worker_answer(head: Mapping[str, Any], payload: bytes) -> InvocationAnswer:
    """Return the answer of a worker, or Lambda's failure if it is too large."""
    if head["status"] != "ok":
        return InvocationAnswer(payload, "Unhandled", head.get("request_id"))
    if len(payload) > MAX_ANSWER_BYTES:
        message = (
            "Response payload size exceeded maximum allowed payload size "
            f"({MAX_ANSWER_BYTES} bytes)."
        )
        return lambda_failure("Function.ResponseSizeTooLarge", message)
    return InvocationAnswer(payload, request_id=head.get("request_id"))


class WorkerOutput:
    """Lines of a worker's output pipe; two threads may read it, each line is logged once."""

    def __init__(self, pipe: IO[bytes], log: Callable[[str], None]) -> None:
        """Take over an unbuffered pipe; `log` gets each line, one at a time."""
        # Of two readers the second must not wait for lines that the first has taken.
        os.set_blocking(pipe.fileno(), False)
        self._pipe = pipe
        self._log = log
        self._partial_line = b""
        self._is_closed = False
        self._lock = threading.Lock()

    def follow(self) -> None:
        """Log lines as they come until all writers have closed the pipe, then close it."""
        poller = select.poll()
        poller.register(self._pipe, select.POLLIN)
        with self._pipe:
            while not self._is_closed:
                poller.poll()
                self.catch_up()

    def catch_up(self) -> None:
        """Log every line that was written before this call."""
        with self._lock:
            chunk = None if self._is_closed else self._pipe.read(_CHUNK)
            if chunk is None:
                return
            self._is_closed = not chunk
            *lines, self._partial_line = (self._partial_line + chunk).split(b"\n")
            if self._is_closed and self._partial_line:
                lines.append(self._partial_line)
            for line in lines:
                self._log(line.decode("utf-8", "replace"))
