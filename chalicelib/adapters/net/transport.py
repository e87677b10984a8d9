"""Transport of httpx: checked connections of the guarded egress, kept where that is safe."""

import ssl
from collections.abc import Collection
from functools import cache
from socket import socket
from typing import Final, NamedTuple, Protocol, override

import h11
import httpx

from chalicelib.adapters.net.connections import ConnectionLostError, HttpConnection, RequestBudget
from chalicelib.core.egress_policy import DEFAULT_PORTS
from chalicelib.engine.ports import SentState

# Methods that a server may get twice (RFC 9110 9.2.2).
_IDEMPOTENT: Final = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
# Connections of a client to different hosts; files of a process are few.
_MAX_KEPT: Final = 16


class Connector(Protocol):
    """Method `connect` of the guarded egress."""

    def __call__(
        self, host: str, port: int, *, timeout_s: float, ports: Collection[int], exempt_only: bool
    ) -> socket:
        """Connect to a host; raises HostRefusedError or HostUnreachableError."""
        ...


class Destination(NamedTuple):
    """Where a request goes, and by which rules it may."""

    scheme: str
    host: str
    port: int
    ports: frozenset[int]
    exempt_only: bool


class EgressTransport(httpx.BaseTransport):
    """Transport of httpx for one request and its redirects, each over a checked connection."""

    def __init__(
        self,
        connect: Connector,
        kept: dict[Destination, HttpConnection],
        budget: RequestBudget,
        ports: Collection[int],
        *,
        https_only: bool = False,
    ) -> None:
        """Use connections of `kept` for the first request, and new ones for redirects."""
        self._connect = connect
        self._kept = kept
        self._budget = budget
        self._ports = frozenset(ports)
        self._https_only = https_only
        self._current: tuple[Destination, HttpConnection] | None = None

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        destination = self._destination(request.url)
        # A redirect never takes a kept connection (decision 15).
        kept = None if self._current else self._take(destination)
        self.close()
        if kept is not None:
            self._current = destination, kept
            try:
                return kept.send(request, self._budget)
            except (ConnectionLostError, h11.RemoteProtocolError):
                # The server may have closed it just now; RFC 9112, 9.3.1 says which requests may be
                # repeated.
                if kept.has_received or not self._is_repeatable(request):
                    raise
        connection = self._open(destination)
        self._current = destination, connection
        return connection.send(request, self._budget)

    def keep(self) -> None:
        """Keep the connection of the last request, if it can take another one."""
        assert self._current is not None
        destination, connection = self._current
        if not connection.is_complete:
            return
        self._current = None
        if len(self._kept) >= _MAX_KEPT:
            self._kept.pop(next(iter(self._kept))).close()
        self._kept[destination] = connection

    @override
    def close(self) -> None:
        if self._current is not None:
            self._current[1].close()

    def _destination(self, url: httpx.URL) -> Destination:
        if url.scheme not in DEFAULT_PORTS:
            raise httpx.UnsupportedProtocol(url.scheme)
        port = DEFAULT_PORTS[url.scheme] if url.port is None else url.port
        exempt_only = self._https_only and url.scheme == "http"
        # A redirect must not downgrade from https to http.
        self._https_only = self._https_only or url.scheme == "https"
        return Destination(url.scheme, url.raw_host.decode(), port, self._ports, exempt_only)

    def _take(self, destination: Destination) -> HttpConnection | None:
        kept = self._kept.pop(destination, None)
        if kept is None or kept.start_next():
            return kept
        kept.close()
        return None

    def _is_repeatable(self, request: httpx.Request) -> bool:
        is_harmless = self._budget.sent is SentState.NOTHING or request.method in _IDEMPOTENT
        return is_harmless and isinstance(request.stream, httpx.ByteStream)

    def _open(self, destination: Destination) -> HttpConnection:
        connected = self._connect(
            destination.host,
            destination.port,
            timeout_s=self._budget.remaining_s(),
            ports=destination.ports,
            exempt_only=destination.exempt_only,
        )
        connection = HttpConnection(connected, destination.host, self._budget)
        if destination.scheme == "https":
            connection.start_tls(_tls_context())
        return connection


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the TLS context; it trusts the system's authorities, or those of SSL_CERT_FILE."""
    return ssl.create_default_context()
