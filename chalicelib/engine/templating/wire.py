"""Wire format between the service and its sandboxed processes: a length, then JSON."""

import json
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

_LENGTH_PREFIX: Final = struct.Struct(">I")


_CHUNK_BYTES: Final = 1 << 20


def pack(message: Mapping[str, object]) -> bytes:
    """Return the bytes of one message."""
    body = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    return _LENGTH_PREFIX.pack(len(body)) + body


def send(message: Mapping[str, object], descriptor: int) -> None:
    """Write one whole message; a pipe may take less than all of it at once."""
    remaining = memoryview(pack(message))
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


def receive(read: Callable[[int], bytes]) -> Any:
    """Return the next message, or None when the other side is gone.

    The caller names the message's type. `read(size)` returns 1 to `size` bytes, none at the end.
    """
    head = _read_exactly(_LENGTH_PREFIX.size, read)
    if head is None:
        return None
    body = _read_exactly(_LENGTH_PREFIX.unpack(head)[0], read)
    if body is None:
        return None
    return json.loads(body)


def _read_exactly(size: int, read: Callable[[int], bytes]) -> bytes | None:
    parts = []
    while size:
        part = read(min(size, _CHUNK_BYTES))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
