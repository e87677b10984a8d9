"""Threads of one process that serve invocations of a function at the same time."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from infra.local.runner.frames import Channel
from infra.local.runner.process import InvocationAnswer, WorkerProcess

if TYPE_CHECKING:
    import subprocess


class ThreadLauncher:
    """Launcher of threads, all in one process, which is replaced when it has ended or hangs."""

    def __init__(self, launch: Callable[[], WorkerProcess]) -> None:
        """Use `launch` to start a process with RUNNER_THREADS."""
        self._launch = launch
        self._lock = threading.Lock()
        self._shared: _SharedProcess | None = None

    def __call__(self) -> "ThreadWorker":
        """Start a thread; it is ready once `wait_until_ready` returns."""
        with self._lock:
            if self._shared is None or not self._shared.is_usable():
                self._shared = _SharedProcess(self._launch())
            return self._shared.open_thread()


class ThreadWorker:
    """Thread of a shared process, with a connection of its own; see `WorkerProcess`."""

    def __init__(self, shared: "_SharedProcess", channel: Channel) -> None:
        """Use the connection to a thread of `shared`."""
        self.channel = channel
        self.idle_since = time.monotonic()
        self.tenant: str | None = None
        self.owner: str | None = None
        self._shared = shared

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """Return the process of the thread."""
        return self._shared.worker.process

    def wait_until_ready(self) -> InvocationAnswer | None:
        """Wait until the handler is imported; return the failure, or None."""
        return self._shared.wait_until_ready()

    def may_serve(self, _tenant: str | None) -> bool:
        """Return True: a function that isolates tenants has no threads."""
        return True

    def is_alive(self) -> bool:
        """Tell whether the process runs, and none of its threads hangs."""
        return self._shared.is_usable()

    def exit_failure(self, request_id: str) -> InvocationAnswer:
        """Return Lambda's answer for a process that ended during an invocation."""
        return self._shared.worker.exit_failure(request_id)

    def kill(self) -> None:
        """Give up a thread that hangs: its process ends as soon as no other thread is in use."""
        self._shared.give_up()
        self.retire()

    def retire(self) -> None:
        """Close the connection, on which the thread ends, and the process after the last one."""
        self.channel.close()
        self._shared.close_thread(self)


class _SharedProcess:
    """Process with the threads in use; it ends with the last of them."""

    def __init__(self, worker: WorkerProcess) -> None:
        """Take over a process that was started with RUNNER_THREADS."""
        self.worker = worker
        self._threads: set[ThreadWorker] = set()
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._failure: InvocationAnswer | None = None
        self._is_started = False
        self._is_given_up = False
        self._is_closed = False

    def open_thread(self) -> ThreadWorker:
        """Start a thread; if the process has just ended, `wait_until_ready` returns the failure."""
        with self._lock:
            own_end, worker_end = socket.socketpair()
            with worker_end, contextlib.suppress(OSError):
                # A process that has ended meanwhile is seen by the reader of the own end.
                self.worker.channel.send_socket(worker_end)
            thread = ThreadWorker(self, Channel(own_end))
            self._threads.add(thread)
            return thread

    def wait_until_ready(self) -> InvocationAnswer | None:
        """Wait until the handler is imported; return the failure, or None."""
        with self._starting:
            if not self._is_started:
                self._failure = self.worker.wait_until_ready()
                self._is_started = True
        if self._failure is not None:
            self.give_up()
        return self._failure

    def is_usable(self) -> bool:
        """Tell whether the process takes further invocations."""
        return not self._is_given_up and not self._is_closed and self.worker.is_alive()

    def give_up(self) -> None:
        """Take no further invocations."""
        self._is_given_up = True

    def close_thread(self, thread: ThreadWorker) -> None:
        """Forget a thread; the process ends after the last one."""
        with self._lock:
            self._threads.discard(thread)
            if self._threads or self._is_closed:
                return
            self._is_closed = True
        if self._is_given_up:
            self.worker.kill()
        else:
            self.worker.retire()
