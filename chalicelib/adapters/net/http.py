"""HTTP client over the guarded egress, with limits on bytes and time (decision 15)."""

import logging
import ssl
import time
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from socket import socket
from typing import Any, Final, Protocol, override

import httpcore
import httpx

from chalicelib.engine.ports import (
    DestinationRefusedError,
    DestinationUnreachableError,
    FetchResponse,
)

_MAX_REDIRECTS: Final = 5
# Budget for all response heads of a fetch, those of redirects and of `100 Continue` included.
_MAX_HEAD_BYTES: Final = 1_000_000
# Only gzip is accepted, because it can be unpacked step by step under a size limit.
_HEADERS: Final = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": "Platen"}
# httpx logs each URL at INFO, and URLs carry secrets.
logging.getLogger("httpx").setLevel(logging.WARNING)

_CONNECTION_ERRORS: Final = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpx.HTTPError,
    OSError,
)


class Dialer(Protocol):
    """Method `dial` of the guarded egress."""

    def __call__(
        self, host: str, port: int, *, timeout_s: float, exempt_only: bool = False
    ) -> socket:
        """Connect to a host; raises DestinationRefusedError or DestinationUnreachableError."""
        ...


def get(
    url: str, dial: Dialer, *, max_bytes: int, deadline: float, https_only: bool
) -> FetchResponse:
    """Get a URL and follow its redirects; `deadline` is in monotonic seconds.

    With `https_only`, and after the first https response, plain http is allowed only to
    destinations that the operator has exempted. Raises DestinationRefusedError or
    DestinationUnreachableError.
    """
    if "\\" in url:
        raise DestinationRefusedError(
            "an address has no backslashes: browsers read them as slashes"
        )
    transport = EgressTransport(dial, _FetchBudget(max_bytes, deadline), https_only=https_only)
    with httpx.Client(transport=transport, trust_env=False, headers=_HEADERS) as client:
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        try:
            response = _follow_redirects(client, url)
            return _read_response(response, max_bytes)
        except httpx.UnsupportedProtocol as error:
            raise DestinationRefusedError("only http and https addresses can be fetched") from error
        # A name that is invalid in IDNA raises UnicodeError.
        except (httpx.InvalidURL, UnicodeError) as error:
            raise DestinationRefusedError(
                "an address is https://host:port/path, its port up to 65535"
            ) from error
        except TimeoutError as error:
            raise DestinationUnreachableError(f"{_host(url)} took too long to answer") from error
        except _CONNECTION_ERRORS as error:
            raise DestinationUnreachableError(
                f"{_host(url)} did not answer as HTTP asks for"
            ) from error


class EgressTransport(httpx.BaseTransport):
    """Transport of httpx that opens a new connection per request, so each host is checked."""

    def __init__(self, dial: Dialer, budget: "_FetchBudget", *, https_only: bool) -> None:
        """Connect with `dial`; all requests share one budget of bytes and time."""
        self._dial = dial
        self._budget = budget
        self._https_only = https_only
        self._pools: list[httpcore.ConnectionPool] = []

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.scheme not in {"http", "https"}:
            raise httpx.UnsupportedProtocol(url.scheme)
        is_tls = url.scheme == "https"
        network = _EgressBackend(
            self._dial, self._budget, exempt_only=self._https_only and not is_tls
        )
        # A redirect must not downgrade from https to http.
        self._https_only = self._https_only or is_tls
        assert isinstance(request.stream, httpx.SyncByteStream)
        target = httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        pool = httpcore.ConnectionPool(_tls_context() if is_tls else None, network_backend=network)
        self._pools.append(pool)
        response = pool.handle_request(
            httpcore.Request(
                request.method, target, headers=request.headers.raw, content=request.stream
            )
        )
        assert isinstance(response.stream, Iterable)
        return httpx.Response(
            response.status, headers=response.headers, stream=_ResponseBody(response)
        )

    @override
    def close(self) -> None:
        for pool in self._pools:
            pool.close()


class _ResponseBody(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    @override
    def __iter__(self) -> Iterator[bytes]:
        return self._response.iter_stream()

    @override
    def close(self) -> None:
        self._response.close()


class _FetchBudget:
    """Bytes and time that one fetch may take, over all its connections."""

    def __init__(self, max_bytes: int, deadline: float) -> None:
        self._max_bytes = max_bytes
        self._deadline = deadline
        # Twice the limit: chunked transfer encoding can double the size of a body.
        self._remaining_bytes = 2 * max_bytes + _MAX_HEAD_BYTES

    def remaining_s(self) -> float:
        """Return the time left in seconds; raises TimeoutError after the deadline."""
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining

    def consume(self, count: int, host: str) -> None:
        """Count bytes that were read; raises DestinationUnreachableError beyond the limit."""
        self._remaining_bytes -= count
        if self._remaining_bytes < 0:
            raise DestinationUnreachableError(_too_large_message(host, self._max_bytes))


class _EgressBackend(httpcore.NetworkBackend):
    def __init__(self, dial: Dialer, budget: _FetchBudget, *, exempt_only: bool) -> None:
        self._dial = dial
        self._budget = budget
        self._exempt_only = exempt_only

    @override
    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.NetworkStream:
        timeout_s = self._budget.remaining_s()
        connection = self._dial(host, port, timeout_s=timeout_s, exempt_only=self._exempt_only)
        return _BudgetedStream(connection, host, self._budget)


class _BudgetedStream(httpcore.NetworkStream):
    """Connection under the fetch's deadline, which also bounds a server that sends slowly."""

    def __init__(self, connection: socket, host: str, budget: _FetchBudget) -> None:
        self._connection = connection
        self._host = host
        self._budget = budget

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._connection.settimeout(self._budget.remaining_s())
        received = self._connection.recv(max_bytes)
        self._budget.consume(len(received), self._host)
        return received

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._connection.settimeout(self._budget.remaining_s())
        self._connection.sendall(buffer)

    @override
    def close(self) -> None:
        self._connection.close()

    @override
    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        try:
            self._connection.settimeout(self._budget.remaining_s())
            secured = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
        except BaseException:
            # httpcore has no reference to this connection any more and would not close it.
            self._connection.close()
            raise
        return _BudgetedStream(secured, self._host, self._budget)


def _follow_redirects(client: httpx.Client, url: str) -> httpx.Response:
    request = client.build_request("GET", url)
    for _ in range(_MAX_REDIRECTS + 1):
        response = client.send(request, stream=True)
        if response.next_request is None:
            return response
        response.close()
        request = response.next_request
    raise DestinationUnreachableError(f"{_host(url)} redirects more than {_MAX_REDIRECTS} times")


def _read_response(response: httpx.Response, max_bytes: int) -> FetchResponse:
    host = _host(response.url)
    if not response.is_success:
        raise DestinationUnreachableError(f"{host} answered {response.status_code}")
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip"}:
        raise DestinationUnreachableError(f"{host} answered in an encoding that was not asked for")
    unpack = _gunzip if encoding == "gzip" else _identity
    content = bytearray()
    for piece in unpack(response.iter_raw(), max_bytes + 1):
        content += piece
        if len(content) > max_bytes:
            raise DestinationUnreachableError(_too_large_message(host, max_bytes))
    headers = {name.lower(): value for name, value in response.headers.items()}
    return FetchResponse(str(response.url), response.status_code, headers, bytes(content))


def _identity(pieces: Iterator[bytes], _max_piece_bytes: int) -> Iterator[bytes]:
    return pieces


def _gunzip(pieces: Iterator[bytes], max_piece_bytes: int) -> Iterator[bytes]:
    """Unpack gzip; yields pieces of at most `max_piece_bytes`, so a zip bomb cannot fill memory."""
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for piece in pieces:
            yield packed.decompress(piece, max_piece_bytes)
            if packed.unused_data:
                break
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from error
    if not packed.eof:
        raise httpx.DecodingError("cut short")


def _too_large_message(host: str, max_bytes: int) -> str:
    return f"{host} answered with more than {max_bytes} bytes"


def _host(url: str | httpx.URL) -> str:
    return httpx.URL(url).raw_host.decode()


@cache
def _tls_context() -> ssl.SSLContext:
    """Return the TLS context; it trusts the system's authorities, or those of SSL_CERT_FILE."""
    return ssl.create_default_context()
