"""Traffic budget of one render: counts requests and bytes, cuts connections at its limits."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.core.egress_policy import DEFAULT_PORTS, host_and_port

MAX_REQUESTS: Final = 1000
MAX_RESPONSE_BYTES: Final = 50_000_000
MAX_TOTAL_BYTES: Final = 100_000_000
TOO_MANY_REQUESTS: Final = f"a page may make {MAX_REQUESTS} requests"
RESPONSE_TOO_LARGE: Final = f"a part of a page may have {MAX_RESPONSE_BYTES // 1_000_000} MB"
TOTAL_TOO_LARGE: Final = f"the page may load {MAX_TOTAL_BYTES // 1_000_000} MB in all"
_MAX_RECORDED: Final = 1000


class TrafficLimits(NamedTuple):
    """Limits of the proxy for one render.

    The byte limits are 10 % above those of PageRequests, as the proxy also counts heads and TLS.
    `max_connections` limits connections of the browser; each has at most one to a host.
    """

    max_requests: int = MAX_REQUESTS
    max_response_bytes: int = MAX_RESPONSE_BYTES * 11 // 10
    max_total_bytes: int = MAX_TOTAL_BYTES * 11 // 10
    max_connections: int = 128


class TrafficBudget:
    """Traffic of one render; nothing passes after `end`. Safe for use from all proxy threads."""

    def __init__(self, limits: TrafficLimits | None = None) -> None:
        """Start counting at zero; `limits` defaults to those of the service."""
        self._limits = limits or TrafficLimits()
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, str] = {}
        self._refused_hosts: dict[str, str] = {}
        self._unreachable_hosts: dict[str, str] = {}
        self._exceeded_limits: dict[str, str] = {}
        self._exhausted_limit: str | None = None
        self._client_count = 0
        self._has_had_clients = False
        self._request_count = 0
        self._received_bytes = 0
        self._sent_bytes = 0
        self._has_ended = False

    @property
    def request_count(self) -> int:
        """Return the number of requests; a TLS connection counts once."""
        return self._request_count

    @property
    def received_bytes(self) -> int:
        """Return the bytes received from servers."""
        return self._received_bytes

    @property
    def sent_bytes(self) -> int:
        """Return the bytes sent to servers."""
        return self._sent_bytes

    @property
    def connection_count(self) -> int:
        """Return the number of open connections, both of the browser and to servers."""
        return len(self._connections)

    @property
    def has_had_clients(self) -> bool:
        """Tell whether the browser has made a connection."""
        return self._has_had_clients

    @property
    def exhausted_limit(self) -> str | None:
        """Return the exhausted limit of the whole page, as a text for callers, or None."""
        return self._exhausted_limit

    @property
    def exceeded_limits(self) -> Mapping[str, str]:
        """Return the exceeded limit of each URL, as a text for callers."""
        with self._lock:
            return dict(self._exceeded_limits)

    def exceeded_limit(self, url: str) -> str | None:
        """Return the exceeded limit of a URL, else of the whole page, else None."""
        with self._lock:
            return self._exceeded_limits.get(url) or self._exhausted_limit

    @property
    def refused_hosts(self) -> Mapping[str, str]:
        """Return the reason for each refused `host:port`, as a text for callers."""
        with self._lock:
            return dict(self._refused_hosts)

    @property
    def unreachable_hosts(self) -> Mapping[str, str]:
        """Return the reason for each unreachable `host:port`, as a text for callers."""
        with self._lock:
            return dict(self._unreachable_hosts)

    @property
    def has_ended(self) -> bool:
        """Tell whether the render's traffic has ended."""
        return self._has_ended

    def end(self) -> None:
        """Cut every connection and admit no others; idempotent."""
        with self._lock:
            self._has_ended = True
            for connection in self._connections:
                shut_down(connection)

    def cut_connections(self, host_and_port: str) -> None:
        """Cut every connection to a `host:port`, finished or in the making; new ones may come."""
        with self._lock:
            for connection, destination in self._connections.items():
                if destination == host_and_port:
                    shut_down(connection)

    def record_refusal(self, host_and_port: str, reason: str) -> None:
        """Record that a `host:port` is refused; the first reason is kept."""
        with self._lock:
            _record_first(self._refused_hosts, host_and_port, reason)

    def record_unreachable(self, host_and_port: str, reason: str) -> None:
        """Record that a `host:port` is unreachable; the first reason is kept."""
        with self._lock:
            _record_first(self._unreachable_hosts, host_and_port, reason)

    def count_request(self, url: str) -> bool:
        """Count a request; return whether it is allowed."""
        with self._lock:
            self._request_count += 1
            if self._request_count > self._limits.max_requests:
                self._exhausted_limit = self._exhausted_limit or TOO_MANY_REQUESTS
                _record_first(self._exceeded_limits, url, TOO_MANY_REQUESTS)
                return False
        return True

    def count_received(self, count: int, url: str, response_bytes: int = 0) -> bool:
        """Count bytes from a URL, of which `response_bytes` are one response so far.

        Return whether more may follow. Above the total limit all traffic ends.
        """
        with self._lock:
            self._received_bytes += count
            too_much = self._received_bytes > self._limits.max_total_bytes
            too_large = response_bytes > self._limits.max_response_bytes
            if too_much:
                self._exhausted_limit = TOTAL_TOO_LARGE
                _record_first(self._exceeded_limits, url, TOTAL_TOO_LARGE)
            elif too_large:
                _record_first(self._exceeded_limits, url, RESPONSE_TOO_LARGE)
        # Outside of the lock, which `end` takes itself.
        if too_much:
            self.end()
        return not (too_much or too_large)

    def count_sent(self, count: int) -> None:
        """Count bytes sent to servers."""
        with self._lock:
            self._sent_bytes += count

    def admit_client(self, client: socket.socket) -> bool:
        """Register a connection of the browser; return False when no more are admitted."""
        with self._lock:
            self._has_had_clients = True
            if self._has_ended or self._client_count >= self._limits.max_connections:
                return False
            self._client_count += 1
            self._connections[client] = ""
        return True

    def close_client(self, client: socket.socket) -> None:
        """Close an admitted connection of the browser."""
        with self._lock:
            self._connections.pop(client, None)
            self._client_count -= 1
        client.close()

    @contextlib.contextmanager
    def track_dial(self, client: socket.socket, host_and_port: str) -> Iterator[None]:
        """Register for the context that an admitted connection waits for a `host:port`."""
        with self._lock:
            self._connections[client] = host_and_port
        try:
            yield
        finally:
            with self._lock:
                self._connections[client] = ""

    @contextlib.contextmanager
    def track_connection(self, server: socket.socket, host_and_port: str) -> Iterator[None]:
        """Register a connection to `host_and_port` for the context, then close it."""
        with server:
            with self._lock:
                # The render may have ended while the server was dialled.
                if self._has_ended:
                    shut_down(server)
                else:
                    self._connections[server] = host_and_port
            try:
                yield
            finally:
                with self._lock:
                    self._connections.pop(server, None)


def host_and_port_of(url: str) -> str:
    """Return the `host:port` of an http or https URL."""
    parts = urlsplit(url)
    return host_and_port(parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme])


def shut_down(connection: socket.socket) -> None:
    """Shut a connection down; unlike `close` this wakes a thread blocked on it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _record_first(texts: dict[str, str], key: str, text: str) -> None:
    if len(texts) < _MAX_RECORDED:
        texts.setdefault(key, text)
