"""TCP server on loopback whose connections are played by functions, byte by byte if need be."""

import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread

from tests.builders.waiting import PATIENCE_S

# Plays one connection, which is closed afterwards.
type Play = Callable[[socket.socket], None]


@dataclass
class RawServer:
    """A running server, and the requests that each of its connections has received."""

    port: int
    scheme: str
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def egress_allow(self) -> str:
        """Return the value of PLATEN_EGRESS_ALLOW that allows this server."""
        return f"127.0.0.0/8:{self.port}"

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"


@contextmanager
def raw_server(
    *plays: Play, tls: ssl.SSLContext | None = None, address: tuple[str, int] = ("127.0.0.1", 0)
) -> Iterator[RawServer]:
    """Serve: the first connection gets the first play, and all beyond the last the last."""
    with socket.create_server(address) as listener:
        server = RawServer(listener.getsockname()[1], "http" if tls is None else "https")

        def serve() -> None:
            with suppress(OSError):
                while True:
                    accepted, _ = listener.accept()
                    play = plays[min(server.connections, len(plays) - 1)]
                    server.connections += 1
                    Thread(target=converse, args=(accepted, play), daemon=True).start()

        def converse(accepted: socket.socket, play: Play) -> None:
            with suppress(OSError), accepted:
                accepted.settimeout(PATIENCE_S)
                if tls is None:
                    play(accepted)
                    return
                with tls.wrap_socket(accepted, server_side=True) as secured:
                    play(secured)

        _SERVERS[server.port] = server
        Thread(target=serve, daemon=True).start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            del _SERVERS[server.port]


def read_request(connection: socket.socket) -> bytes:
    """Read one request to its end and record it; raises OSError if it is cut short."""
    received = b""
    while not _is_whole(received):
        more = connection.recv(65_536)
        if not more:
            raise ConnectionError(received)
        received += more
    server = _SERVERS.get(connection.getsockname()[1])
    if server is not None:
        server.requests.append(received)
    return received


def reset(connection: socket.socket) -> None:
    """Reset the connection instead of ending it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def silence(connection: socket.socket) -> None:
    """Say nothing until the other side ends the connection."""
    while connection.recv(65_536):
        pass


def answer(*responses: bytes) -> Play:
    """Return a play that gives one response to each request, then ends the connection."""

    def play(connection: socket.socket) -> None:
        for response in responses:
            read_request(connection)
            connection.sendall(response)

    return play


_SERVERS: dict[int, RawServer] = {}


def _is_whole(received: bytes) -> bool:
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return False
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    if b"transfer-encoding" in fields:
        return body.endswith(b"0\r\n\r\n")
    return len(body) >= int(fields.get(b"content-length", 0))
