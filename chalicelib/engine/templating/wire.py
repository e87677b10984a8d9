"""Messages between the service and its confined processes: a length, then JSON."""

import json
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

_LENGTH_PREFIX: Final = struct.Struct(">I")


def pack(message: Mapping[str, Any]) -> bytes:
    """Return the bytes of one message."""
    body = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    return _LENGTH_PREFIX.pack(len(body)) + body


def send(message: Mapping[str, Any], descriptor: int) -> None:
    """Write one message whole, however little a pipe takes at once."""
    rest = memoryview(pack(message))
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def receive(read: Callable[[int], bytes]) -> dict[str, Any] | None:
    """Return the next message, or None when the other side is gone.

    `read` returns at least one and at most the asked number of bytes, none at the end.
    """
    head = _read_exactly(_LENGTH_PREFIX.size, read)
    if head is None:
        return None
    body = _read_exactly(_LENGTH_PREFIX.unpack(head)[0], read)
    if body is None:
        return None
    message: dict[str, Any] = json.loads(body)
    return message


def _read_exactly(size: int, read: Callable[[int], bytes]) -> bytes | None:
    parts = []
    while size:
        part = read(min(size, _CHUNK_BYTES))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


_CHUNK_BYTES: Final = 1 << 20
