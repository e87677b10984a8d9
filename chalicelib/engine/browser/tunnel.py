"""One connection of the browser's proxy: what is asked for, checked, connected, passed on."""

import contextlib
import socket
import time
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Final

from chalicelib.engine.browser.asked import Asked, Unreadable, split
from chalicelib.engine.browser.relay import relay
from chalicelib.engine.browser.traffic import Traffic
from chalicelib.engine.outside import AddressRefused, Outside, Unreachable

_CONNECT_S: Final = 10.0
# A little longer than a page may be waited for.
_IDLE_S: Final = 65.0
# Dialling cannot be broken off: of the renders that have ended so much at most goes on.
_DIALS: Final = BoundedSemaphore(256)
_LOOK_S: Final = 0.25
_CHUNK: Final = 65_536
_NO_CONTENT: Final = b"\r\nContent-Length: 0\r\n\r\n"


class _Over(Exception):  # noqa: N818 -- reads as the fact it tells
    """A budget is used up, and has been told."""


def serve(
    client: socket.socket, outside: Outside, traffic: Traffic, before_tls: Callable[[], None]
) -> None:
    """Serve an admitted connection until it ends, or until the render's traffic does."""
    try:
        with contextlib.suppress(OSError, Unreadable, _Over):
            _serve(client, outside, traffic, before_tls)
    finally:
        traffic.dismiss(client)


def _serve(
    client: socket.socket, outside: Outside, traffic: Traffic, before_tls: Callable[[], None]
) -> None:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.settimeout(_IDLE_S)
    asked, rest = _first(client)
    server = _connected(client, asked, outside, traffic)
    if server is None:
        return
    with traffic.holding(server, asked.place):
        tunnel = asked.head is None
        if tunnel:
            before_tls()
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        ways = _Tunnel(asked, traffic) if tunnel else _Exchanges(asked, traffic)
        server.sendall(ways.begin(rest))
        relay(client, server, ways.up, ways.down, _IDLE_S)


def _first(client: socket.socket) -> tuple[Asked, bytes]:
    read = b""
    while (found := split(read)) is None:
        piece = client.recv(_CHUNK)
        if not piece:
            raise Unreadable
        read += piece
    head, rest = found
    return Asked.read(head), rest


def _connected(
    client: socket.socket, asked: Asked, outside: Outside, traffic: Traffic
) -> socket.socket | None:
    try:
        _count(asked, traffic)
        server = _dialled(asked, outside, traffic)
    except AddressRefused as refused:
        traffic.refuse(asked.place, str(refused))
        answer = b"403 Refused"
    except Unreachable as missed:
        traffic.miss(asked.place, str(missed))
        answer = b"502 Unreachable"
    else:
        server.settimeout(_IDLE_S)
        return server
    # The browser shows nobody the answer to CONNECT. To a plain request there is none: it would
    # pass for the page's.
    if asked.head is None:
        client.sendall(b"HTTP/1.1 " + answer + _NO_CONTENT)
    return None


def _dialled(asked: Asked, outside: Outside, traffic: Traffic) -> socket.socket:
    ends = time.monotonic() + _CONNECT_S
    while not _DIALS.acquire(timeout=_LOOK_S):
        if traffic.ended or time.monotonic() > ends:
            raise Unreachable(f"{asked.place} could not be connected to")
    try:
        return outside.dial(asked.host, asked.port, timeout_s=_CONNECT_S)
    finally:
        _DIALS.release()


def _count(asked: Asked, traffic: Traffic) -> None:
    if not traffic.ask(asked.address):
        raise _Over


class _Tunnel:
    """What is passed on unread."""

    def __init__(self, asked: Asked, traffic: Traffic) -> None:
        self._address = asked.address
        self._traffic = traffic

    def begin(self, rest: bytes) -> bytes:
        return self.up(rest)

    def up(self, piece: bytes) -> bytes:
        self._traffic.send(len(piece))
        return piece

    def down(self, piece: bytes) -> bytes:
        if not self._traffic.receive(len(piece), self._address):
            raise _Over
        return piece


class _Exchanges:
    """The requests of one connection, one after the other and all to one host, and their answers.

    Where an answer ends is the browser's affair: it asks again on the same connection only then.
    """

    def __init__(self, first: Asked, traffic: Traffic) -> None:
        self._asked = first
        self._traffic = traffic
        self._read = b""
        self._body = 0
        self._answered = 0

    def begin(self, rest: bytes) -> bytes:
        """Return the first request, of which `rest` has come beside its head."""
        assert self._asked.head is not None
        self._body = self._asked.body - len(rest)
        if self._body < 0:
            # A second request with the first: nothing that waits for its answer.
            raise Unreadable
        self._answered = 0
        request = self._asked.head + rest
        self._traffic.send(len(request))
        return request

    def up(self, piece: bytes) -> bytes:
        if self._body:
            if len(piece) > self._body:
                raise Unreadable
            self._body -= len(piece)
            self._traffic.send(len(piece))
            return piece
        if not self._answered:
            raise Unreadable
        self._read += piece
        found = split(self._read)
        return b"" if found is None else self._next(*found)

    def down(self, piece: bytes) -> bytes:
        self._answered += len(piece)
        if not self._traffic.receive(len(piece), self._asked.address, self._answered):
            raise _Over
        return piece

    def _next(self, head: bytes, rest: bytes) -> bytes:
        asked = Asked.read(head)
        if asked.head is None or asked.place != self._asked.place:
            raise Unreadable
        _count(asked, self._traffic)
        self._asked, self._read = asked, b""
        return self.begin(rest)
