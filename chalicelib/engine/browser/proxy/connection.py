"""One connection of the browser's proxy: read the request, check it, dial, pump bytes."""

import contextlib
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

from chalicelib.engine.browser.proxy.budget import TrafficBudget
from chalicelib.engine.browser.proxy.request_head import (
    ProxyRequest,
    UnreadableRequestError,
    split_head,
)
from chalicelib.engine.ports import Egress, HostRefusedError, HostUnreachableError

_CONNECT_TIMEOUT_S: Final = 10.0
# Slightly above the longest wait for a page.
_IDLE_TIMEOUT_S: Final = 65.0
# A dial cannot be cancelled; this bounds the dials that outlive their render.
_DIAL_SLOTS: Final = BoundedSemaphore(256)
_DIAL_POLL_S: Final = 0.25
_CHUNK_BYTES: Final = 65_536
_EMPTY_BODY: Final = b"\r\nContent-Length: 0\r\n\r\n"


# Maps a received chunk to the bytes that are passed on; raises to end the connection.
type Transform = Callable[[bytes], bytes]


class _BudgetExceededError(Exception):
    """A limit is exceeded; the budget has recorded it."""


def serve(
    client: socket.socket, egress: Egress, traffic: TrafficBudget, before_tls: Callable[[], None]
) -> None:
    """Serve an admitted connection until it or the render's traffic ends; then close it.

    `before_tls` is called before a tunnel is confirmed to the browser.
    """
    try:
        with contextlib.suppress(OSError, UnreadableRequestError, _BudgetExceededError):
            _serve(client, egress, traffic, before_tls)
    finally:
        traffic.close_client(client)


def pump(
    client: socket.socket, server: socket.socket, up: Transform, down: Transform, idle_s: float
) -> None:
    """Pass bytes on until one end closes or nothing arrives for `idle_s`; raises OSError."""
    directions = (_Direction(client, server, up), _Direction(server, client, down))
    ends = (client, server)
    poller, polled = select.poll(), dict.fromkeys(ends, 0)
    for end in ends:
        end.settimeout(0)
    while True:
        for end in ends:
            events = directions[0].poll_events(end) | directions[1].poll_events(end)
            if events != polled[end]:
                _update_poll(poller, end, polled[end], events)
                polled[end] = events
        ready = {number for number, _ in poller.poll(1000 * idle_s)}
        if not ready:
            return
        for direction in directions:
            if direction.awaited_fd in ready and not direction.advance():
                return


def _serve(
    client: socket.socket, egress: Egress, traffic: TrafficBudget, before_tls: Callable[[], None]
) -> None:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.settimeout(_IDLE_TIMEOUT_S)
    request, rest = _read_first_request(client)
    with traffic.track_dial(client, request.host_and_port):
        server = _connect(client, request, egress, traffic)
    if server is None:
        return
    with traffic.track_connection(server, request.host_and_port):
        is_tunnel = request.head is None
        if is_tunnel:
            before_tls()
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        exchange = _Tunnel(request, traffic) if is_tunnel else _HttpExchanges(request, traffic)
        server.sendall(exchange.begin(rest))
        pump(client, server, exchange.up, exchange.down, _IDLE_TIMEOUT_S)


def _read_first_request(client: socket.socket) -> tuple[ProxyRequest, bytes]:
    received = b""
    while (parts := split_head(received)) is None:
        chunk = client.recv(_CHUNK_BYTES)
        if not chunk:
            raise UnreadableRequestError
        received += chunk
    head, rest = parts
    return ProxyRequest.parse(head), rest


def _connect(
    client: socket.socket, request: ProxyRequest, egress: Egress, traffic: TrafficBudget
) -> socket.socket | None:
    try:
        _count_request(request, traffic)
        server = _dial(request, egress, traffic)
    except HostRefusedError as error:
        traffic.record_refusal(request.host_and_port, str(error))
        status = b"403 Refused"
    except HostUnreachableError as error:
        traffic.record_unreachable(request.host_and_port, str(error))
        status = b"502 Unreachable"
    else:
        server.settimeout(_IDLE_TIMEOUT_S)
        return server
    # A page never sees the response to CONNECT. A plain request gets none, as the page would take
    # it for the server's.
    if request.head is None:
        client.sendall(b"HTTP/1.1 " + status + _EMPTY_BODY)
    return None


def _dial(request: ProxyRequest, egress: Egress, traffic: TrafficBudget) -> socket.socket:
    gives_up_at = time.monotonic() + _CONNECT_TIMEOUT_S
    while not _DIAL_SLOTS.acquire(timeout=_DIAL_POLL_S):
        if traffic.has_ended or time.monotonic() > gives_up_at:
            raise HostUnreachableError(f"{request.host_and_port} could not be connected to")
    try:
        return egress.dial(request.host, request.port, timeout_s=_CONNECT_TIMEOUT_S)
    finally:
        _DIAL_SLOTS.release()


def _count_request(request: ProxyRequest, traffic: TrafficBudget) -> None:
    if not traffic.count_request(request.url):
        raise _BudgetExceededError


class _Tunnel:
    """TLS tunnel: bytes are counted and passed on unread."""

    def __init__(self, request: ProxyRequest, traffic: TrafficBudget) -> None:
        self._url = request.url
        self._traffic = traffic

    def begin(self, rest: bytes) -> bytes:
        return self.up(rest)

    def up(self, chunk: bytes) -> bytes:
        self._traffic.count_sent(len(chunk))
        return chunk

    def down(self, chunk: bytes) -> bytes:
        if not self._traffic.count_received(len(chunk), self._url):
            raise _BudgetExceededError
        return chunk


class _HttpExchanges:
    """Plain HTTP requests of one connection, in sequence and all to one host.

    The proxy need not find the end of a response: the browser sends the next request only after it.
    """

    def __init__(self, first: ProxyRequest, traffic: TrafficBudget) -> None:
        self._request = first
        self._traffic = traffic
        self._head_buffer = b""
        self._body_bytes_left = 0
        self._response_bytes = 0

    def begin(self, rest: bytes) -> bytes:
        """Return the bytes of the current request; `rest` was received after its head."""
        assert self._request.head is not None
        self._body_bytes_left = self._request.body_bytes - len(rest)
        if self._body_bytes_left < 0:
            # Pipelined requests (RFC 9112 9.3.2) are refused: the browser sends none.
            raise UnreadableRequestError
        self._response_bytes = 0
        request = self._request.head + rest
        self._traffic.count_sent(len(request))
        return request

    def up(self, chunk: bytes) -> bytes:
        if self._body_bytes_left:
            if len(chunk) > self._body_bytes_left:
                raise UnreadableRequestError
            self._body_bytes_left -= len(chunk)
            self._traffic.count_sent(len(chunk))
            return chunk
        if not self._response_bytes:
            raise UnreadableRequestError
        self._head_buffer += chunk
        parts = split_head(self._head_buffer)
        return b"" if parts is None else self._next_request(*parts)

    def down(self, chunk: bytes) -> bytes:
        self._response_bytes += len(chunk)
        if not self._traffic.count_received(len(chunk), self._request.url, self._response_bytes):
            raise _BudgetExceededError
        return chunk

    def _next_request(self, head: bytes, rest: bytes) -> bytes:
        request = ProxyRequest.parse(head)
        # The connection leads to one checked host; another one would pass unchecked (decision 15).
        if request.head is None or request.host_and_port != self._request.host_and_port:
            raise UnreadableRequestError
        _count_request(request, self._traffic)
        self._request, self._head_buffer = request, b""
        return self.begin(rest)


@dataclass(slots=True)
class _Direction:
    """One direction with back-pressure: nothing is read while `unsent` bytes remain."""

    source: socket.socket
    sink: socket.socket
    transform: Transform
    unsent: bytes = b""

    @property
    def awaited_fd(self) -> int:
        return (self.sink if self.unsent else self.source).fileno()

    def poll_events(self, end: socket.socket) -> int:
        if self.unsent:
            return select.POLLOUT if end is self.sink else 0
        return select.POLLIN if end is self.source else 0

    def advance(self) -> bool:
        """Read and write without blocking; return False when the source has closed."""
        with contextlib.suppress(BlockingIOError):
            if not self.unsent:
                chunk = self.source.recv(_CHUNK_BYTES)
                if not chunk:
                    return False
                self.unsent = self.transform(chunk)
            if self.unsent:
                self.unsent = self.unsent[self.sink.send(self.unsent) :]
        return True


def _update_poll(poller: select.poll, end: socket.socket, before: int, events: int) -> None:
    """Change the polled events of `end`.

    Without any it is unregistered: poll reports a hang-up even for no events, which would spin.
    """
    if events:
        poller.register(end, events)
    elif before:
        poller.unregister(end)
