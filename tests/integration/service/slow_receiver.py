"""Receiver of webhooks that takes longer than it may, and the next time almost as long."""

import socket
import time
from contextlib import AbstractContextManager
from typing import Final

from tests.builders.pages.certificates import Certificates
from tests.fakes.raw_server import RawServer, raw_server, read_request

_OK: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate"
_FIRST_BYTE_S: Final = 8.0
_PAUSE_S: Final = 0.5


def slow_receiver(authority: Certificates) -> AbstractContextManager[RawServer]:
    """Run the receiver during the block."""
    return raw_server(_drip, _answer_late, tls=authority.server)


def _drip(connection: socket.socket) -> None:
    """Answer a byte at a time, which takes longer than ten seconds."""
    read_request(connection)
    time.sleep(_FIRST_BYTE_S)
    for byte in _OK:
        connection.sendall(bytes([byte]))
        time.sleep(_PAUSE_S)


def _answer_late(connection: socket.socket) -> None:
    """Answer within ten seconds."""
    read_request(connection)
    time.sleep(_FIRST_BYTE_S)
    connection.sendall(_OK)
