"""Client of the browser's proxy over plain sockets."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from chalicelib.engine.browser.proxy.server import ProxyPort
from tests.builders.waiting import PATIENCE_S


@contextmanager
def connect(proxy: ProxyPort) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", proxy.port), PATIENCE_S) as client:
        yield client


def send_request(proxy: ProxyPort, request: str) -> bytes:
    """Return the answer to a raw request; it is empty when the proxy hangs up."""
    try:
        with connect(proxy) as client:
            client.sendall(request.encode())
            return read_answer(client)
    except ConnectionError:
        return b""


def read_answer(client: socket.socket) -> bytes:
    """Return one answer by its Content-Length, or all bytes until the proxy hangs up."""
    answer = b""
    with suppress(ConnectionError):
        while piece := client.recv(65_536):
            answer += piece
            size = re.search(rb"content-length: ([0-9]+)\r\n", answer, re.IGNORECASE)
            _, end, body = answer.partition(b"\r\n\r\n")
            if end and size and len(body) >= int(size[1]):
                break
    return answer


def read_to_end(client: socket.socket) -> bytes:
    answer = b""
    try:
        while piece := client.recv(65_536):
            answer += piece
    except ConnectionError:
        pass
    return answer


def open_tunnel(client: socket.socket, port: int) -> None:
    client.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        # Byte by byte: the first bytes of the host may follow directly.
        answer += (piece := client.recv(1))
        assert piece
    assert answer.startswith(b"HTTP/1.1 200 ")
