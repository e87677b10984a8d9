"""Server on loopback that must not be reached and records who reaches it."""

import selectors
import socket
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from ssl import SSLContext

_TIMEOUT_S = 2.0
_TLS_RECORD = b"\x16"
_MAX_RECEIVED_BYTES = 4096
# Each kind of file contains the secret, so that a document that loads one shows it.
_FILES = {
    "css": ("text/css", "body::after {{content: '{secret}'}}"),
    "js": ("text/javascript", "document.body.append('{secret}')"),
    "json": ("application/json", '{{"secret": "{secret}"}}'),
    "svg": (
        "image/svg+xml",
        '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="9"><text>{secret}</text></svg>',
    ),
    "txt": ("text/plain", "{secret}"),
}
_PAGE = ("text/html", "<title>{secret}</title><p>{secret}")


@dataclass(frozen=True)
class CanaryHit:
    """A connection, the bytes received over it, or a datagram."""

    address: str
    transport: str
    received: str = ""


class Canary:
    """Server at one port of many addresses, with and without TLS; over UDP at some of them."""

    def __init__(self, addresses: Sequence[str], datagrams: Collection[str], secret: str) -> None:
        self.hits: list[CanaryHit] = []
        # Used for connections that begin with a TLS record.
        self.tls: SSLContext | None = None
        self.port = 0
        self._secret = secret
        self._selector = selectors.DefaultSelector()
        for address in addresses:
            self._listen(address, socket.SOCK_STREAM)
            if address in datagrams:
                self._listen(address, socket.SOCK_DGRAM)
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._selector.register(self._wake_receiver, selectors.EVENT_READ)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._wake_sender.close()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()

    def _listen(self, address: str, kind: socket.SocketKind) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        listener = socket.socket(family, kind)
        listener.settimeout(0)
        if kind == socket.SOCK_STREAM:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, self.port))
        if kind == socket.SOCK_STREAM:
            listener.listen()
        self.port = listener.getsockname()[1]
        self._selector.register(listener, selectors.EVENT_READ, address)

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                listener = key.fileobj
                assert isinstance(listener, socket.socket)
                if listener is self._wake_receiver:
                    return
                with suppress(OSError):
                    self._accept(listener, key.data)

    def _accept(self, listener: socket.socket, address: str) -> None:
        if listener.type == socket.SOCK_DGRAM:
            self.hits.append(
                CanaryHit(address, "udp", listener.recv(_MAX_RECEIVED_BYTES).decode("latin-1"))
            )
            return
        connection, _ = listener.accept()
        self.hits.append(CanaryHit(address, "tcp"))
        Thread(target=self._serve, args=(connection, address), daemon=True).start()

    def _serve(self, connection: socket.socket, address: str) -> None:
        with suppress(OSError), connection:
            connection.settimeout(_TIMEOUT_S)
            if self.tls is None or connection.recv(1, socket.MSG_PEEK) != _TLS_RECORD:
                self._answer(connection, address)
                return
            with self.tls.wrap_socket(connection, server_side=True) as secured:
                self._answer(secured, address)

    def _answer(self, connection: socket.socket, address: str) -> None:
        received = connection.recv(_MAX_RECEIVED_BYTES).decode("latin-1")
        self.hits.append(CanaryHit(address, "tcp", received))
        path = received.split(" ")[1] if received.count(" ") > 1 else "/"
        kind, text = _FILES.get(path.partition("?")[0].rpartition(".")[2], _PAGE)
        body = text.format(secret=self._secret).encode()
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n"
            + f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
