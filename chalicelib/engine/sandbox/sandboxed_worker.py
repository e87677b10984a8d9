"""Parent side of a confined child process: starts it, calls it, replaces it."""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.sandbox import limits, wire
from chalicelib.engine.sandbox.child_process import ChildProcess
from chalicelib.engine.sandbox.walls import Walls

_MAX_ATTEMPTS: Final = 2
_CPU_LIMIT_STATUSES: Final = frozenset({-signal.SIGVTALRM, -signal.SIGPROF, -signal.SIGXCPU})


class SandboxedWorker[Response: Mapping[str, object] = dict[str, Any]]:
    """Worker that sends a warm child process one request at a time and replaces a failed child."""

    cpu_limit = f"{limits.CPU_S:g} s of processor time"
    """Time that the timers of its child allow, as messages name it."""

    def __init__(
        self,
        module: str,
        subject: str,
        environment: Mapping[str, str] | None = None,
        walls: Walls | None = None,
        arguments: Sequence[str] = (),
        *,
        forks: bool = False,
    ) -> None:
        """Prepare without starting a process.

        The child runs `module` with `arguments`, after the id of this process; error messages begin
        with `subject`. `environment` is the child's whole environment, besides its import path.
        `walls` admits a child that lacks some; without it none may be missing. For a child that
        `forks` see ChildProcess.
        """
        self._module = module
        self._subject = subject
        self._environment = dict(environment or {})
        self._arguments = arguments
        self._forks = forks
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._walls = walls or Walls()
        self._cancellation: Future[None] = Future()

    def start(self) -> None:
        """Start the child before its first request; return at once.

        The kernel ends the child together with the thread that started it, so the caller's thread
        must outlive the child.
        """
        with self._lock:
            self._ensure_child()

    @contextlib.contextmanager
    def cancel_on(self, cancellation: Future[None]) -> Iterator[None]:
        """End calls within this context with `render_timeout` once `cancellation` is set."""
        self._cancellation = cancellation
        try:
            yield
        finally:
            self._cancellation = Future()

    def prove_walls(self, deadline: float) -> None:
        """Wait for a child, and admit it.

        Raises WallsMissingError, or as `call` without its result.
        """
        with self._lock:
            self._wait_for_child(self._ensure_child(), partial(self._remaining_ms, deadline))

    def call(
        self, message: Mapping[str, object], deadline: float, contents: Sequence[bytes] = ()
    ) -> Response:
        """Return the child's response to a message and the contents that go with it.

        Raises RenderFailure `template_fuel_exhausted`, or `render_timeout` at `deadline` (seconds
        since 1970), and WallsMissingError.
        """
        request = (wire.pack(message, contents), *contents)
        if not self._lock.acquire(timeout=max(0.0, deadline - time.time())):
            raise self._timeout_failure()
        try:
            return self._call(request, deadline)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the child; the next request starts another one."""
        with self._lock:
            self._stop_child()

    def _call(self, request: Sequence[bytes], deadline: float) -> Response:
        remaining_ms = partial(self._remaining_ms, deadline)
        for _ in range(_MAX_ATTEMPTS):
            child = self._ensure_child()
            try:
                self._wait_for_child(child, remaining_ms)
                response: Response = child.call(request, remaining_ms)
            except TimeoutError as error:
                self._replace_child()
                raise self._timeout_failure() from error
            except EOFError:
                status = child.stop()
                self._replace_child()
                if status in _CPU_LIMIT_STATUSES:
                    raise self._exhausted_failure(f"used more than {self.cpu_limit}") from None
                # SIGKILL comes from outside the run, such as from the OOM killer: try again.
                if status != -signal.SIGKILL:
                    break
                continue
            if response.get("recycle", True):
                self._replace_child()
            return response
        raise self._exhausted_failure("made its process end")

    def _exhausted_failure(self, what: str) -> RenderFailure:
        return RenderFailure("template_fuel_exhausted", f"{self._subject} {what}.")

    def _timeout_failure(self) -> RenderFailure:
        return RenderFailure("render_timeout", f"{self._subject} did not finish in time.")

    def _remaining_ms(self, deadline: float) -> float:
        return 0.0 if self._cancellation.done() else (deadline - time.time()) * 1000

    def _wait_for_child(self, child: ChildProcess, remaining_ms: Callable[[], float]) -> None:
        """Wait until a child is ready and admitted: before that it gets no content."""
        self._walls.admit(self._module, child.missing_walls(remaining_ms))

    def _ensure_child(self) -> ChildProcess:
        if self._child is None or not self._child.is_usable:
            self._stop_child()
            self._child = ChildProcess(
                self._module, self._environment, self._arguments, forks=self._forks
            )
        return self._child

    def _replace_child(self) -> None:
        self._stop_child()
        self._ensure_child()

    def _stop_child(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None
