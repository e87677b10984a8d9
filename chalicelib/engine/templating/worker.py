"""The service's side of a confined process: starts it, asks it, replaces it."""

import contextlib
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.templating import limits, wire
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes

log = logging.getLogger(__name__)

_CHILD_MODULE: Final = "chalicelib.engine.templating.child"
_MAX_ATTEMPTS: Final = 2
_NO_INCLUDES: Final = Includes()
_NO_LOCALE_DEFAULTS: Final = LocaleDefaults()
_POSITION_FIELDS: Final = ("line", "column", "excerpt")
# So long at most goes by unseen that nobody wants the text any more.
_POLL_INTERVAL_MS: Final = 250.0
_CPU_LIMIT_STATUSES: Final = frozenset({-signal.SIGVTALRM, -signal.SIGPROF, -signal.SIGXCPU})


class SandboxedWorker:
    """Asks a warm child process one thing at a time; any breach replaces the child."""

    def __init__(
        self, module: str, subject: str, environment: Mapping[str, str] | None = None
    ) -> None:
        """Prepare; `module` is what the child runs, `subject` what messages say of its work.

        `environment` is all that the child finds in its own, beside its import path.
        """
        self._module = module
        self._subject = subject
        self._environment = dict(environment or {})
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._has_warned = False
        self._stopped: Future[None] = Future()

    def start(self) -> None:
        """Start the child ahead of its first template; returns at once.

        The kernel ends the child with the thread that started it, so call this from a lasting one.
        """
        with self._lock:
            self._ensure_child()

    @contextlib.contextmanager
    def cancel_on(self, stopped: Future[None]) -> Iterator[None]:
        """Let what runs meanwhile end with `render_timeout` as soon as `stopped` is set."""
        self._stopped = stopped
        try:
            yield
        finally:
            self._stopped = Future()

    def call(self, message: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        """Return the child's answer.

        Raises RenderFailure `template_fuel_exhausted`, or `render_timeout` when the time is
        `deadline` (seconds since 1970).
        """
        request = wire.pack(message)
        if not self._lock.acquire(timeout=max(0.0, deadline - time.time())):
            raise self._timeout_failure()
        try:
            return self._call(request, deadline)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the child; the next template starts another."""
        with self._lock:
            self._stop_child()

    def _call(self, request: bytes, deadline: float) -> dict[str, Any]:
        left_ms = partial(self._remaining_ms, deadline)
        for _ in range(_MAX_ATTEMPTS):
            child = self._ensure_child()
            try:
                self._warn_if_unfiltered(is_filtered=child.wait_until_ready(left_ms))
                answer = child.call(request, left_ms)
            except TimeoutError as error:
                self._replace_child()
                raise self._timeout_failure() from error
            except EOFError:
                status = child.stop()
                self._replace_child()
                if status in _CPU_LIMIT_STATUSES:
                    raise self._exhausted_failure(
                        f"used more than {limits.CPU_S:g} s of processor time"
                    ) from None
                if status != -signal.SIGKILL:
                    break
                continue
            if answer["recycle"]:
                self._replace_child()
            return answer
        raise self._exhausted_failure("made its process end")

    def _exhausted_failure(self, what: str) -> RenderFailure:
        return RenderFailure("template_fuel_exhausted", f"{self._subject} {what}.")

    def _timeout_failure(self) -> RenderFailure:
        return RenderFailure("render_timeout", f"{self._subject} did not finish in time.")

    def _remaining_ms(self, deadline: float) -> float:
        return 0.0 if self._stopped.done() else (deadline - time.time()) * 1000

    def _warn_if_unfiltered(self, *, is_filtered: bool) -> None:
        """Say once that the kernel leaves the children their system calls; they run even so."""
        if not is_filtered and not self._has_warned:
            log.warning("templates run without a system call filter: the kernel refuses it")
            self._has_warned = True

    def _ensure_child(self) -> "_Child":
        if self._child is None or not self._child.is_alive:
            self._stop_child()
            self._child = _Child(self._module, self._environment)
        return self._child

    def _replace_child(self) -> None:
        self._stop_child()
        self._ensure_child()

    def _stop_child(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None


class TemplateWorker(SandboxedWorker):
    """Runs templates."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Prepare, as every worker."""
        super().__init__(_CHILD_MODULE, "The template", environment)

    def render(  # noqa: PLR0913 -- all that a run depends on
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
        includes: Includes = _NO_INCLUDES,
        locale_defaults: LocaleDefaults = _NO_LOCALE_DEFAULTS,
    ) -> str:
        """Return the text of a template over plain JSON data; `escape`: the text is HTML.

        Raises RenderFailure with `template_syntax_error`, `template_runtime_error` or
        `template_fuel_exhausted` and `line`, `column`, `excerpt` where they are known, or with
        `render_timeout` when the time is `deadline` (seconds since 1970).
        """
        request = {
            "source": source,
            "data": data,
            "strict": strict,
            "escape": escape,
            "includes": includes.to_json(),
            "locale_defaults": locale_defaults.to_json(),
        }
        answer = self.call(request, deadline)
        if "text" in answer:
            return str(answer["text"])
        place = {name: answer[name] for name in _POSITION_FIELDS if answer[name] is not None}
        raise RenderFailure(answer["code"], answer["message"], **place)


class _Child:
    """One process and its two pipes."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-S", "-s", "-m", module, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **environment,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            },
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout
        self._output_poll = select.poll()
        self._output_poll.register(self._output, select.POLLIN)
        self._is_filtered: bool | None = None

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self, remaining_ms: Callable[[], float]) -> bool:
        """Wait until the child is ready; return whether its system calls are filtered.

        Raises TimeoutError when no time is left, EOFError when the child died.
        """
        if self._is_filtered is None:
            self._is_filtered = bool(self._receive(remaining_ms)["is_filtered"])
        return self._is_filtered

    def call(self, request: bytes, remaining_ms: Callable[[], float]) -> dict[str, Any]:
        """Return the answer of a child that is ready; raises as `confined`."""
        rest = memoryview(request)
        try:
            while rest:
                rest = rest[self._input.write(rest) :]
        except BrokenPipeError as error:
            raise EOFError from error
        return self._receive(remaining_ms)

    def stop(self) -> int:
        """End the process for certain and return how it ended."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        self._output.close()
        self._process.kill()
        return self._process.wait()

    def _receive(self, remaining_ms: Callable[[], float]) -> dict[str, Any]:
        def read(size: int) -> bytes:
            while (wait_ms := remaining_ms()) > 0:
                if self._output_poll.poll(min(wait_ms, _POLL_INTERVAL_MS)):
                    return os.read(self._output.fileno(), size)
            raise TimeoutError

        message = wire.receive(read)
        if message is None:
            raise EOFError
        return message
