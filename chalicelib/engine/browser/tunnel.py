"""One connection of the browser's proxy: what is asked for, checked, connected, passed on."""

import contextlib
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import Final, Self

from chalicelib.engine.browser.proxy import Traffic, cut
from chalicelib.engine.outside import AddressRefused, Outside, Unreachable, place_of

_CONNECT_S: Final = 10.0
_MOST_HEAD: Final = 262_144
_CHUNK: Final = 65_536
_END: Final = b"\r\n\r\n"
_HOST: Final = r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:/?#@]+))"
_PLACE: Final = re.compile(rf"{_HOST}:(?P<port>[0-9]{{1,5}})")
_PLAIN: Final = re.compile(
    rf"http://(?P<authority>{_HOST}(?::(?P<port>[0-9]{{1,5}}))?)(?P<path>/[^#]*)?"
)
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[^\r\n\0]*")
# They are about this connection, or are written anew.
_OURS: Final = re.compile(rb"host|connection|keep-alive|proxy-.*|te|trailer|upgrade", re.IGNORECASE)


class _Unreadable(Exception):  # noqa: N818 -- reads as the fact it tells
    """No request that the browser would send."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the browser asks for: `plain` is the request to pass on, `body` the size of the rest."""

    host: str
    port: int
    plain: bytes | None = None
    body: int = 0

    @classmethod
    def read(cls, head: bytes) -> Self:
        line, *headers = head.split(b"\r\n")
        try:
            method, target, _ = line.decode("ascii").split(" ")
        except ValueError as error:
            raise _Unreadable from error
        found = (_PLACE if method == "CONNECT" else _PLAIN).fullmatch(target)
        if found is None:
            raise _Unreadable
        host, port = found["six"] or found["name"], int(found["port"] or 80)
        if method == "CONNECT":
            return cls(host, port)
        authority, path = found["authority"], found["path"] or "/"
        first = f"{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n"
        kept, body = _kept(headers)
        plain = first.encode() + b"".join(header + b"\r\n" for header in kept) + b"\r\n"
        return cls(host, port, plain, body)


def serve(
    client: socket.socket, outside: Outside, traffic: Traffic, before_tls: Callable[[], None]
) -> None:
    """Serve one connection until it ends, or until the render's traffic does."""
    with traffic.holding(client), contextlib.suppress(OSError, _Unreadable):
        head, rest = _head(client)
        asked = _Asked.read(head)
        server = _connected(client, asked, outside, traffic)
        if server is None:
            return
        with traffic.holding(server, place_of(asked.host, asked.port)):
            if asked.plain is None:
                before_tls()
                client.sendall(b"HTTP/1.1 200 Connected" + _END)
                server.sendall(rest)
                _pass_both(client, server, traffic)
            else:
                request = asked.plain + rest[: asked.body]
                _pass_one(client, server, request, asked.body - len(rest), traffic)


def _connected(
    client: socket.socket, asked: _Asked, outside: Outside, traffic: Traffic
) -> socket.socket | None:
    place = place_of(asked.host, asked.port)
    try:
        server = outside.dial(asked.host, asked.port, timeout_s=_CONNECT_S)
    except AddressRefused as refused:
        traffic.refuse(place, str(refused))
        answer = b"403 Refused"
    except Unreachable as missed:
        traffic.miss(place, str(missed))
        answer = b"502 Unreachable"
    else:
        server.settimeout(None)
        return server
    # The browser shows nobody the answer to CONNECT. To a plain request there is none: it would
    # pass for the page's.
    if asked.plain is None:
        client.sendall(b"HTTP/1.1 " + answer + b"\r\nContent-Length: 0" + _END)
    return None


def _head(client: socket.socket) -> tuple[bytes, bytes]:
    read = bytearray()
    while (end := read.find(_END)) < 0:
        piece = client.recv(_CHUNK)
        if not piece or len(read) > _MOST_HEAD:
            raise _Unreadable
        read += piece
    return bytes(read[:end]), bytes(read[end + len(_END) :])


def _kept(headers: list[bytes]) -> tuple[list[bytes], int]:
    """Return the headers to pass on, and the size of what follows them."""
    kept, sizes = [], []
    for header in headers:
        found = _HEADER.fullmatch(header)
        if found is None:
            raise _Unreadable
        name = found[1].lower()
        if name == b"transfer-encoding":
            raise _Unreadable
        if name == b"content-length":
            sizes.append(header.partition(b":")[2].strip())
        if not _OURS.fullmatch(name):
            kept.append(header)
    if not sizes:
        return kept, 0
    if len(sizes) > 1 or not sizes[0].isdigit():
        raise _Unreadable
    return kept, int(sizes[0])


def _pass_both(client: socket.socket, server: socket.socket, traffic: Traffic) -> None:
    def up() -> None:
        while piece := client.recv(_CHUNK):
            server.sendall(piece)
            traffic.send(len(piece))

    _exchange(up, client, server, traffic)


def _pass_one(
    client: socket.socket, server: socket.socket, request: bytes, left: int, traffic: Traffic
) -> None:
    """Pass on one request, of which `left` bytes are to come, and its answer."""

    def up() -> None:
        missing = left
        server.sendall(request)
        traffic.send(len(request))
        while missing > 0 and (piece := client.recv(min(missing, _CHUNK))):
            server.sendall(piece)
            traffic.send(len(piece))
            missing -= len(piece)
        # A second request would be another's affair: whatever comes now ends this one.
        client.recv(1)

    _exchange(up, client, server, traffic)


def _exchange(
    up: Callable[[], None], client: socket.socket, server: socket.socket, traffic: Traffic
) -> None:
    """Pass on both ways at once until the browser has closed its end."""

    def upward() -> None:
        with contextlib.suppress(OSError):
            up()
        cut(server)

    sender = Thread(target=upward, daemon=True)
    sender.start()
    try:
        while piece := server.recv(_CHUNK):
            traffic.receive(len(piece))
            client.sendall(piece)
        client.shutdown(socket.SHUT_WR)
    except OSError:
        cut(client)
    sender.join()
