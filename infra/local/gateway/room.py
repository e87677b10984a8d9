"""Room on the disk of a stack that is kept: without it new work is refused, and nothing is lost.

Accepted work goes on in the space that is left.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from infra.local.access.wsgi import Application, StartResponse
from infra.local.gateway.events import Response
from infra.local.monitoring.readiness import FREE_DISK_VARIABLE

_MB: Final = 1_000_000
_LOOK_S: Final = 1.0
_RETRY_AFTER: Final = "60"
_WORK: Final = frozenset({"POST", "PUT", "PATCH"})
_DETAIL: Final = (
    "The disk of this server is almost full, so that it takes no new work; what was accepted goes "
    "on. This request had no effect: send it again after the pause."
)


class FreeSpace:
    """Free space of a folder's disk, looked at once a second at most."""

    def __init__(self, folder: Path, min_bytes: int, note: Callable[[str], None]) -> None:
        """Need so many bytes; `note` gets a line when they are gone, and when they are back."""
        self._folder = folder
        self._note = note
        self._min_bytes = min_bytes
        self._lock = threading.Lock()
        self._looked_at = -_LOOK_S
        self._is_enough = True

    def is_enough(self) -> bool:
        """Tell whether there is room for new work."""
        with self._lock:
            if time.monotonic() - self._looked_at >= _LOOK_S:
                self._looked_at = time.monotonic()
                self._look()
            return self._is_enough

    def _look(self) -> None:
        status = os.statvfs(self._folder)
        free = status.f_bavail * status.f_frsize
        was_enough, self._is_enough = self._is_enough, free >= self._min_bytes
        if was_enough and not self._is_enough:
            self._note(
                f"warning: {free // _MB} MB are free on the disk of {self._folder}, less than "
                f"{self._min_bytes // _MB} ({FREE_DISK_VARIABLE}): new work is refused"
            )
        if self._is_enough and not was_enough:
            self._note(f"the disk of {self._folder} has room again: new work is taken")


class RoomForWork:
    """WSGI application that refuses new work while there is no room for it.

    Reading, cancelling and deleting go on.
    """

    def __init__(
        self, application: Application, space: FreeSpace, problem: Callable[[], Response]
    ) -> None:
        """Let requests through to `application`; `problem` gives the answer to be completed."""
        self._application = application
        self._space = space
        self._problem = problem

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        is_work = environ["REQUEST_METHOD"] in _WORK and not _is_cancel(environ["PATH_INFO"])
        if not is_work or self._space.is_enough():
            return self._application(environ, start)
        problem = self._problem()
        body = json.dumps({**json.loads(problem.body), "detail": _DETAIL}).encode()
        headers = [pair for pair in problem.headers if pair[0].lower() != "retry-after"]
        headers += [("Retry-After", _RETRY_AFTER), ("Content-Length", str(len(body)))]
        status = HTTPStatus(problem.status)
        start(f"{int(status)} {status.phrase}", headers)
        return [body]


def _is_cancel(path: str) -> bool:
    return path.rstrip("/").endswith("/cancel")
