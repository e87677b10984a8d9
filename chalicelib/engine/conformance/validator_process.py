"""Java process of the validators: one check at a time, killed after its timeout."""

import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import IO, Final, TypedDict

from chalicelib.engine.conformance.checks import RawFindingJson
from chalicelib.engine.conformance.validator_installation import ValidatorInstallation

# Enough for 10 000 lines of the largest profile. The rest of the function's memory is for the JVM
# itself, outside of its heap.
HEAP_MB: Final = 768
_METASPACE_MB: Final = 192
_DIRECT_MB: Final = 64
_JVM_FLAGS: Final = (
    f"-Xmx{HEAP_MB}m",
    f"-XX:MaxMetaspaceSize={_METASPACE_MB}m",
    f"-XX:MaxDirectMemorySize={_DIRECT_MB}m",
    # Out of memory ends the process: its later answers could not be trusted.
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xss4m",
    "-Xshare:auto",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.timezone=UTC",
)
_MAX_ANSWER_BYTES: Final = 32_000_000
_CHUNK_BYTES: Final = 1 << 16


class CheckAnswer(TypedDict, total=False):
    """Answer to one check: findings, and how many were left out, or a failure."""

    findings: list[RawFindingJson]
    left_out: int
    failure: str


class _Answer(TypedDict):
    number: int
    verdicts: dict[str, CheckAnswer]


class ValidatorProcessLostError(Exception):
    """The process ended, was too slow, or answered nonsense; it has been killed."""


class ValidatorProcess:
    """A running process of the validators.

    It reads a line of JSON and the bytes of a document, and answers with a line of JSON.
    """

    def __init__(self, installation: ValidatorInstallation, start_timeout_s: float) -> None:
        """Start the process and wait for its first line; raise ValidatorProcessLostError."""
        self._scratch_dir = tempfile.TemporaryDirectory(
            prefix="validators-", ignore_cleanup_errors=True
        )
        self._request_numbers = itertools.count(1)
        self._is_killed = False
        try:
            self._process = _start(installation, self._scratch_dir.name)
        except OSError as error:
            self._scratch_dir.cleanup()
            raise ValidatorProcessLostError(f"the validators do not start: {error}") from error
        with self._kill_on_error():
            self._read_answer(time.monotonic() + start_timeout_s)

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def validate(
        self, kinds: Sequence[str], document: bytes, timeout_s: float
    ) -> dict[str, CheckAnswer]:
        """Return the answer of the process for each kind; raise ValidatorProcessLostError."""
        until = time.monotonic() + timeout_s
        number = next(self._request_numbers)
        request = json.dumps({"number": number, "checks": list(kinds), "bytes": len(document)})
        with self._kill_on_error():
            self._send(request.encode() + b"\n" + document, until)
            answer = self._read_answer(until)
            verdicts = answer["verdicts"]
            if answer["number"] != number or set(verdicts) != set(kinds):
                raise ValidatorProcessLostError("the validators answered something else")
        return verdicts

    def kill(self) -> None:
        """Kill the process and its children; do nothing the second time."""
        # After `wait` the id may belong to another process.
        if self._is_killed:
            return
        self._is_killed = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        _require_pipe(self._process.stdin).close()
        _require_pipe(self._process.stdout).close()
        self._scratch_dir.cleanup()

    @contextlib.contextmanager
    def _kill_on_error(self) -> Iterator[None]:
        """Kill the process on any error: a late answer would be taken for the next verdict."""
        try:
            yield
        except BaseException:
            self.kill()
            raise

    def _send(self, message: bytes, until: float) -> None:
        pipe = _require_pipe(self._process.stdin).fileno()
        rest = memoryview(message)
        while rest:
            _wait_until_ready(pipe, select.POLLOUT, until)
            try:
                rest = rest[os.write(pipe, rest[:_CHUNK_BYTES]) :]
            except OSError as error:
                raise ValidatorProcessLostError("the validators ended") from error

    def _read_answer(self, until: float) -> _Answer:
        pipe = _require_pipe(self._process.stdout).fileno()
        parts: list[bytes] = []
        size = 0
        while not parts or not parts[-1].endswith(b"\n"):
            _wait_until_ready(pipe, select.POLLIN, until)
            parts.append(os.read(pipe, _CHUNK_BYTES))
            size += len(parts[-1])
            if not parts[-1] or size > _MAX_ANSWER_BYTES:
                raise ValidatorProcessLostError("the validators ended")
        try:
            answer: _Answer = json.loads(b"".join(parts))
        except ValueError as error:
            raise ValidatorProcessLostError("the validators answered nonsense") from error
        return answer


def _start(installation: ValidatorInstallation, scratch: str) -> subprocess.Popen[bytes]:
    folder = installation.folder
    classes = ["-cp", f"{folder / 'lib'}/*", "platen.Main", str(folder)]
    process = subprocess.Popen(
        [str(installation.java), *_JVM_FLAGS, f"-Djava.io.tmpdir={scratch}", *classes],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        # A clean environment: no credentials, no JAVA_TOOL_OPTIONS.
        env={"LD_LIBRARY_PATH": str(folder / "runtime" / "lib"), "LC_ALL": "C.UTF-8"},
        bufsize=0,
        start_new_session=True,
    )
    os.set_blocking(_require_pipe(process.stdin).fileno(), False)
    return process


def _wait_until_ready(pipe: int, event: int, until: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(until - time.monotonic(), 0) * 1000):
        raise ValidatorProcessLostError("the validators did not answer in time")


def _require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe
