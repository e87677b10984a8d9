"""Entrance of the gateway: it counts what runs, and lets nothing in once the stack is to stop."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from infra.local.access.wsgi import Application, StartResponse


class Entrance:
    """WSGI application in front of the gateway."""

    def __init__(self, application: Application) -> None:
        """Let requests through to `application`."""
        self._application = application
        self._lock = threading.Lock()
        self._running = 0
        self._is_closed = False

    @property
    def running(self) -> int:
        """Return the number of requests that are not answered."""
        return self._running

    def close(self) -> None:
        """Answer further requests with 503."""
        self._is_closed = True

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        with self._lock:
            if self._is_closed:
                return _refusal(start)
            self._running += 1
        try:
            return _Answer(self._application(environ, start), self._leave)
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        with self._lock:
            self._running -= 1


class _Answer:
    """Body of an answer; the request runs until the server closes it, after its last piece."""

    def __init__(self, pieces: Iterable[bytes], leave: Callable[[], None]) -> None:
        self._pieces = pieces
        self._leave = leave

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        try:
            if close is not None:
                close()
        finally:
            self._leave()


def _refusal(start: StartResponse) -> list[bytes]:
    status = HTTPStatus.SERVICE_UNAVAILABLE
    problem = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "code": "maintenance",
        "detail": "The server stops. Try again in a moment.",
    }
    body = json.dumps(problem).encode()
    headers = [
        ("Content-Type", "application/problem+json"),
        ("Content-Length", str(len(body))),
        ("Retry-After", "5"),
    ]
    start(f"{int(status)} {status.phrase}", headers)
    return [body]
