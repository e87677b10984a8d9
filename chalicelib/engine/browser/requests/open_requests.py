"""Requests of a page that wait for the heads of their responses."""

import threading
import time
from typing import Final, NamedTuple

# Requests without any visible effect: no wait for them, no warning about them.
INVISIBLE_TYPES: Final = frozenset({"Ping", "Prefetch", "CSPViolationReport", "Preflight"})


class OpenRequest(NamedTuple):
    """Request that has been sent; `started_at` is in seconds of the monotonic clock."""

    url: str
    type: str
    started_at: float

    @property
    def is_visible(self) -> bool:
        """Tell whether the page may show the content of this request."""
        return self.type not in INVISIBLE_TYPES

    @property
    def open_s(self) -> float:
        """Return the seconds since it began."""
        return time.monotonic() - self.started_at


class OpenRequests:
    """Open requests of one page by their ids; its methods are called from two threads."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._requests: dict[str, OpenRequest] = {}

    def add(self, request: str, url: str, kind: str) -> None:
        """Record that a request is sent."""
        with self._lock:
            self._requests[request] = OpenRequest(url, kind, time.monotonic())

    def remove(self, request: str) -> OpenRequest | None:
        """Return a request that ends, or None if it is not open."""
        with self._lock:
            return self._requests.pop(request, None)

    def clear(self) -> None:
        """Forget all requests."""
        with self._lock:
            self._requests.clear()

    def visible(self) -> list[OpenRequest]:
        """Return the requests that the page may need."""
        with self._lock:
            return [request for request in self._requests.values() if request.is_visible]
