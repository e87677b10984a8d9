"""Child process of a sandboxed worker and its two pipes; its messages are foreign input."""

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from chalicelib.engine.sandbox import wire

# The longest time until a cancellation is seen.
_POLL_INTERVAL_MS: Final = 250.0
# A forked child ends at once after its response.
_MAX_END_MS: Final = 5_000.0


class ChildProcess:
    """Child process and its two pipes."""

    def __init__(
        self,
        module: str,
        environment: Mapping[str, str],
        arguments: Sequence[str],
        *,
        forks: bool = False,
    ) -> None:
        """Start the process, with `arguments` after the id of this one.

        `environment` is its whole one, besides its import path. One that `forks` a child for each
        request gets the number of a descriptor as its last argument: it alone has it, and writes a
        byte there when a child has ended.
        """
        self._ends: int | None = None
        inherited: list[int] = []
        if forks:
            self._ends, written_end = os.pipe()
            inherited.append(written_end)
            arguments = [*arguments, str(written_end)]
        self._process = _start(module, environment, arguments, inherited)
        for descriptor in inherited:
            os.close(descriptor)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout
        wire.enlarge(self._input.fileno())
        wire.enlarge(self._output.fileno())
        self._output_poll = select.poll()
        self._output_poll.register(self._output, select.POLLIN)
        # A child that has stopped takes no input; waiting for it must end at the deadline.
        os.set_blocking(self._input.fileno(), False)
        self._input_poll = select.poll()
        self._input_poll.register(self._input, select.POLLOUT)
        self._missing_walls: Sequence[str] | None = None

    @property
    def is_usable(self) -> bool:
        """Tell whether it lives, and says nothing while no request runs.

        That would be taken for the response to the next request.
        """
        is_alive = self._process.poll() is None
        return is_alive and (self._missing_walls is None or not self._output_poll.poll(0))

    def missing_walls(self, remaining_ms: Callable[[], float]) -> Sequence[str]:
        """Wait until the child is ready; return the walls that it lacks.

        Raises TimeoutError when no time is left, EOFError when the child died.
        """
        if self._missing_walls is None:
            self._missing_walls = _names(self._receive(remaining_ms).get("missing_walls"))
        return self._missing_walls

    def call(self, request: Sequence[bytes], remaining_ms: Callable[[], float]) -> Any:
        """Return the response of a ready child; raises as `missing_walls`."""
        self._await_end(remaining_ms)
        try:
            for part in request:
                self._send(part, remaining_ms)
        except BrokenPipeError as error:
            raise EOFError from error
        return self._receive(remaining_ms)

    def _await_end(self, remaining_ms: Callable[[], float]) -> None:
        """Wait until the child of the request before has ended: it could read the next one.

        Raises EOFError if it does not end.
        """
        if self._ends is None:
            return
        ends = select.poll()
        ends.register(self._ends, select.POLLIN)
        if not ends.poll(min(max(remaining_ms(), 0), _MAX_END_MS)) or not os.read(self._ends, 1):
            raise EOFError

    def _send(self, part: bytes, remaining_ms: Callable[[], float]) -> None:
        unsent = memoryview(part)
        while unsent:
            _wait(self._input_poll, remaining_ms)
            unsent = unsent[self._input.write(unsent) or 0 :]

    def stop(self) -> int:
        """Kill the process and those that it forked; return its exit status."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        self._output.close()
        if self._ends is not None:
            os.close(self._ends)
            self._ends = None
        if self._process.returncode is None:
            # The process leads its group. Nothing reuses the id of the group before the wait.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        return self._process.wait()

    def _receive(self, remaining_ms: Callable[[], float]) -> dict[str, object]:
        def read(size: int) -> bytes:
            _wait(self._output_poll, remaining_ms)
            return os.read(self._output.fileno(), size)

        try:
            message: dict[str, object] | None = wire.receive(read)
        except wire.MalformedMessageError as error:
            raise EOFError from error
        if message is None:
            raise EOFError
        return message


def _start(
    module: str, environment: Mapping[str, str], arguments: Sequence[str], inherited: Sequence[int]
) -> subprocess.Popen[bytes]:
    # -P -S -s: the child imports only from the PYTHONPATH below.
    return subprocess.Popen(
        [sys.executable, "-P", "-S", "-s", "-m", module, str(os.getpid()), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        bufsize=0,
        start_new_session=True,
        pass_fds=inherited,
    )


def _wait(poll: select.poll, remaining_ms: Callable[[], float]) -> None:
    """Wait until a pipe is ready or broken; raises TimeoutError when no time is left."""
    while (wait_ms := remaining_ms()) > 0:
        if poll.poll(min(wait_ms, _POLL_INTERVAL_MS)):
            return
    raise TimeoutError


def _names(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise EOFError
    return value
