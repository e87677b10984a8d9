"""Length-prefixed messages between the runner and its workers: a JSON head and a payload."""

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any, Final

_LENGTHS: Final = struct.Struct("!IQ")
_CHUNK: Final = 1 << 18


class Channel:
    """One end of the connection; `receive` can be repeated after a timeout."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over a connected stream socket."""
        self._sock = sock
        self._buffer = bytearray()

    def send(
        self, head: Mapping[str, Any], payload: bytes = b"", deadline: float | None = None
    ) -> None:
        """Send one message; raises OSError when the other end is gone, or at `deadline`."""
        self._sock.settimeout(_remaining_s(deadline))
        encoded = json.dumps(head).encode()
        self._sock.sendall(_LENGTHS.pack(len(encoded), len(payload)) + encoded)
        if payload:
            self._sock.sendall(payload)

    def receive(self, deadline: float | None = None) -> tuple[dict[str, Any], bytes]:
        """Return the next message; raises TimeoutError at `deadline`, EOFError at the end."""
        self._fill(_LENGTHS.size, deadline)
        head_size, payload_size = _LENGTHS.unpack_from(self._buffer)
        total = _LENGTHS.size + head_size + payload_size
        self._fill(total, deadline)
        with memoryview(self._buffer) as view:
            head = json.loads(bytes(view[_LENGTHS.size : _LENGTHS.size + head_size]))
            payload = bytes(view[_LENGTHS.size + head_size : total])
        del self._buffer[:total]
        return head, payload

    def send_socket(self, sock: socket.socket) -> None:
        """Hand a copy of a socket to the process at the other end of a Unix connection."""
        socket.send_fds(self._sock, [b"s"], [sock.fileno()])

    def receive_socket(self) -> socket.socket | None:
        """Return the next socket that was handed over, None if this process has no room for it.

        Raises EOFError at the end.
        """
        try:
            message, descriptors, _, _ = socket.recv_fds(self._sock, 1, 1)
        except OSError as error:
            raise EOFError from error
        if not message:
            raise EOFError
        if not descriptors:
            return None
        received = socket.socket(fileno=descriptors[0])
        received.set_inheritable(False)
        return received

    def close(self) -> None:
        """Close this end; the other end then reads EOF."""
        self._sock.close()

    def _fill(self, size: int, deadline: float | None) -> None:
        while len(self._buffer) < size:
            try:
                self._sock.settimeout(_remaining_s(deadline))
                chunk = self._sock.recv(_CHUNK)
            except TimeoutError:
                raise
            except OSError as error:
                raise EOFError from error
            if not chunk:
                raise EOFError
            self._buffer += chunk


def _remaining_s(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining
