"""Readiness of a stack: `/readyz` answers 200 while everything serves, else 503 and why."""

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from infra.local.access.wsgi import Application, StartResponse

PATH: Final = "/readyz"
FREE_DISK_VARIABLE: Final = "PLATEN_MIN_FREE_MB"
DEFAULT_FREE_MB: Final = 512
# Anybody may ask: the parts are asked at most so often.
_KNOWN_FOR_S: Final = 1.0
_RETRY_AFTER_S: Final = "5"


class ReadinessError(Exception):
    """A variable has no usable value; the message names it."""


class MissingPart(NamedTuple):
    """Part that does not serve, and why."""

    part: str
    detail: str


@dataclass(frozen=True, slots=True)
class PartCheck:
    """Check of one part; `problem` returns why it does not serve, or None, or raises."""

    part: str
    problem: Callable[[], str | None]


class Readiness:
    """Whether a stack serves; thread-safe."""

    def __init__(self) -> None:
        """Begin as a stack that starts."""
        self._state: Literal["starting", "serving", "stopping"] = "starting"
        self._checks: tuple[PartCheck, ...] = ()
        self._lock = threading.Lock()
        self._known: tuple[MissingPart, ...] = ()
        self._known_until = 0.0

    def serve(self, checks: Iterable[PartCheck]) -> None:
        """Begin to serve; from now on the checks tell whether everything does."""
        self._checks = tuple(checks)
        self._state = "serving"

    def stop(self) -> None:
        """Be no longer ready, for good."""
        self._state = "stopping"

    def is_ready(self) -> bool:
        """Tell whether everything serves."""
        return not self.missing()

    def missing(self) -> tuple[MissingPart, ...]:
        """Return the parts that do not serve; those of a second ago, if they were checked then."""
        if self._state != "serving":
            return (MissingPart("service", f"it is {self._state}"),)
        with self._lock:
            if time.monotonic() >= self._known_until:
                self._known = tuple(_missing_parts(self._checks))
                self._known_until = time.monotonic() + _KNOWN_FOR_S
            return self._known


def _missing_parts(checks: Iterable[PartCheck]) -> Iterator[MissingPart]:
    for check in checks:
        try:
            problem = check.problem()
        except Exception as error:  # noqa: BLE001 -- any fault of a part is the answer
            # Its text may name addresses of this machine, and anybody may ask.
            problem = f"it does not answer ({type(error).__name__})"
        if problem is not None:
            yield MissingPart(check.part, problem)


def min_free_bytes(variables: Mapping[str, str] = os.environ) -> int:
    """Return how much disk must be free; raises ReadinessError."""
    value = variables.get(FREE_DISK_VARIABLE) or str(DEFAULT_FREE_MB)
    if not (value.isascii() and value.isdigit()):
        raise ReadinessError(f"{FREE_DISK_VARIABLE}={value} is no number of megabytes")
    return int(value) * 1_000_000


def disk_check(folder: Path, least: int) -> PartCheck:
    """Return the check that so many bytes are free where a folder is."""

    def problem() -> str | None:
        free = shutil.disk_usage(folder).free
        if free >= least:
            return None
        return f"{free // 1_000_000} MB are free, fewer than {least // 1_000_000} MB"

    return PartCheck("disk", problem)


class ReadinessFront:
    """WSGI application in front of the service that answers `/readyz`, while it starts too."""

    def __init__(self, readiness: Readiness, base_path: str = "") -> None:
        """Answer `/readyz`, also behind `base_path`, from `readiness`."""
        self._readiness = readiness
        self._paths = {PATH, f"{base_path}{PATH}"}
        self._application: Application | None = None

    def open(self, application: Application) -> None:
        """Pass all other requests on to the service."""
        self._application = application

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if environ["PATH_INFO"] in self._paths and environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
            return self._answer(environ, start)
        if self._application is None:
            return _send(environ, start, HTTPStatus.SERVICE_UNAVAILABLE, _starting())
        return self._application(environ, start)

    def _answer(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        missing = self._readiness.missing()
        body = {
            "status": "not_ready" if missing else "ready",
            "missing": [part._asdict() for part in missing],
        }
        status = HTTPStatus.SERVICE_UNAVAILABLE if missing else HTTPStatus.OK
        return _send(environ, start, status, body)


def _starting() -> Mapping[str, object]:
    return {"status": "not_ready", "missing": [MissingPart("service", "it is starting")._asdict()]}


def _send(
    environ: Mapping[str, Any],
    start: StartResponse,
    status: HTTPStatus,
    content: Mapping[str, object],
) -> list[bytes]:
    body = json.dumps(content).encode()
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
    ]
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append(("Retry-After", _RETRY_AFTER_S))
    start(f"{int(status)} {status.phrase}", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
