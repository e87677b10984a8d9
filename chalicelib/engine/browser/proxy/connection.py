"""One connection of the browser's proxy: what is asked for, checked, connected, passed on."""

import contextlib
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

from chalicelib.engine.browser.proxy.budget import TrafficBudget
from chalicelib.engine.browser.proxy.request_head import ProxyRequest, UnreadableRequest, split_head
from chalicelib.engine.ports import DestinationRefusedError, DestinationUnreachableError, Egress

_CONNECT_TIMEOUT_S: Final = 10.0
# A little longer than a page may be waited for.
_IDLE_TIMEOUT_S: Final = 65.0
# Dialling cannot be broken off: of the renders that have ended so much at most goes on.
_DIAL_SLOTS: Final = BoundedSemaphore(256)
_DIAL_POLL_S: Final = 0.25
_CHUNK_BYTES: Final = 65_536
_EMPTY_BODY: Final = b"\r\nContent-Length: 0\r\n\r\n"


class _BudgetExceeded(Exception):  # noqa: N818 -- reads as the fact it tells
    """A budget is used up, and has been told."""


def serve(
    client: socket.socket, egress: Egress, traffic: TrafficBudget, before_tls: Callable[[], None]
) -> None:
    """Serve an admitted connection until it ends, or until the render's traffic does."""
    try:
        with contextlib.suppress(OSError, UnreadableRequest, _BudgetExceeded):
            _serve(client, egress, traffic, before_tls)
    finally:
        traffic.close_client(client)


def _serve(
    client: socket.socket, egress: Egress, traffic: TrafficBudget, before_tls: Callable[[], None]
) -> None:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.settimeout(_IDLE_TIMEOUT_S)
    asked, rest = _read_first_request(client)
    server = _connect(client, asked, egress, traffic)
    if server is None:
        return
    with traffic.track_connection(server, asked.host_and_port):
        tunnel = asked.head is None
        if tunnel:
            before_tls()
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        ways = _Tunnel(asked, traffic) if tunnel else _HttpExchanges(asked, traffic)
        server.sendall(ways.begin(rest))
        pump(client, server, ways.up, ways.down, _IDLE_TIMEOUT_S)


def _read_first_request(client: socket.socket) -> tuple[ProxyRequest, bytes]:
    read = b""
    while (found := split_head(read)) is None:
        piece = client.recv(_CHUNK_BYTES)
        if not piece:
            raise UnreadableRequest
        read += piece
    head, rest = found
    return ProxyRequest.parse(head), rest


def _connect(
    client: socket.socket, request: ProxyRequest, egress: Egress, traffic: TrafficBudget
) -> socket.socket | None:
    try:
        _count_request(request, traffic)
        server = _dial(request, egress, traffic)
    except DestinationRefusedError as refused:
        traffic.record_refusal(request.host_and_port, str(refused))
        answer = b"403 Refused"
    except DestinationUnreachableError as missed:
        traffic.record_unreachable(request.host_and_port, str(missed))
        answer = b"502 Unreachable"
    else:
        server.settimeout(_IDLE_TIMEOUT_S)
        return server
    # The browser shows nobody the answer to CONNECT. To a plain request there is none: it would
    # pass for the page's.
    if request.head is None:
        client.sendall(b"HTTP/1.1 " + answer + _EMPTY_BODY)
    return None


def _dial(request: ProxyRequest, egress: Egress, traffic: TrafficBudget) -> socket.socket:
    ends = time.monotonic() + _CONNECT_TIMEOUT_S
    while not _DIAL_SLOTS.acquire(timeout=_DIAL_POLL_S):
        if traffic.has_ended or time.monotonic() > ends:
            raise DestinationUnreachableError(f"{request.host_and_port} could not be connected to")
    try:
        return egress.dial(request.host, request.port, timeout_s=_CONNECT_TIMEOUT_S)
    finally:
        _DIAL_SLOTS.release()


def _count_request(request: ProxyRequest, traffic: TrafficBudget) -> None:
    if not traffic.count_request(request.url):
        raise _BudgetExceeded


class _Tunnel:
    """What is passed on unread."""

    def __init__(self, request: ProxyRequest, traffic: TrafficBudget) -> None:
        self._url = request.url
        self._traffic = traffic

    def begin(self, rest: bytes) -> bytes:
        return self.up(rest)

    def up(self, piece: bytes) -> bytes:
        self._traffic.count_sent(len(piece))
        return piece

    def down(self, piece: bytes) -> bytes:
        if not self._traffic.count_received(len(piece), self._url):
            raise _BudgetExceeded
        return piece


class _HttpExchanges:
    """The requests of one connection, one after the other and all to one host, and their answers.

    Where an answer ends is the browser's affair: it asks again on the same connection only then.
    """

    def __init__(self, first: ProxyRequest, traffic: TrafficBudget) -> None:
        self._request = first
        self._traffic = traffic
        self._head_buffer = b""
        self._body_bytes_left = 0
        self._response_bytes = 0

    def begin(self, rest: bytes) -> bytes:
        """Return the first request, of which `rest` has come beside its head."""
        assert self._request.head is not None
        self._body_bytes_left = self._request.body_bytes - len(rest)
        if self._body_bytes_left < 0:
            # A second request with the first: nothing that waits for its answer.
            raise UnreadableRequest
        self._response_bytes = 0
        request = self._request.head + rest
        self._traffic.count_sent(len(request))
        return request

    def up(self, piece: bytes) -> bytes:
        if self._body_bytes_left:
            if len(piece) > self._body_bytes_left:
                raise UnreadableRequest
            self._body_bytes_left -= len(piece)
            self._traffic.count_sent(len(piece))
            return piece
        if not self._response_bytes:
            raise UnreadableRequest
        self._head_buffer += piece
        found = split_head(self._head_buffer)
        return b"" if found is None else self._next_request(*found)

    def down(self, piece: bytes) -> bytes:
        self._response_bytes += len(piece)
        if not self._traffic.count_received(len(piece), self._request.url, self._response_bytes):
            raise _BudgetExceeded
        return piece

    def _next_request(self, head: bytes, rest: bytes) -> bytes:
        asked = ProxyRequest.parse(head)
        if asked.head is None or asked.host_and_port != self._request.host_and_port:
            raise UnreadableRequest
        _count_request(asked, self._traffic)
        self._request, self._head_buffer = asked, b""
        return self.begin(rest)


_PUMP_CHUNK_BYTES: Final = 65_536

# What is passed on in place of a piece that has come; may raise to end it all.
type Transform = Callable[[bytes], bytes]


def pump(
    client: socket.socket, server: socket.socket, up: Transform, down: Transform, idle_s: float
) -> None:
    """Pass on until one end has closed, or nothing has come for `idle_s`; raises OSError."""
    ways = (_Direction(client, server, up), _Direction(server, client, down))
    ends = (client, server)
    poller, watched = select.poll(), dict.fromkeys(ends, 0)
    for end in ends:
        end.settimeout(0)
    while True:
        for end in ends:
            events = ways[0].poll_events(end) | ways[1].poll_events(end)
            if events != watched[end]:
                _update_poll(poller, end, watched[end], events)
                watched[end] = events
        ready = {number for number, _ in poller.poll(1000 * idle_s)}
        if not ready:
            return
        for way in ways:
            if way.awaited_fd in ready and not way.advance():
                return


@dataclass(slots=True)
class _Direction:
    """One direction: what cannot be written yet is kept, and no more is read until it is."""

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
        """Read and write as much as is possible at once; tell whether there may be more."""
        with contextlib.suppress(BlockingIOError):
            if not self.unsent:
                piece = self.source.recv(_PUMP_CHUNK_BYTES)
                if not piece:
                    return False
                self.unsent = self.transform(piece)
            if self.unsent:
                self.unsent = self.unsent[self.sink.send(self.unsent) :]
        return True


def _update_poll(poller: select.poll, end: socket.socket, before: int, events: int) -> None:
    """Look for events; for none at all, as a connection that was hung up would be told for ever."""
    if events:
        poller.register(end, events)
    elif before:
        poller.unregister(end)
