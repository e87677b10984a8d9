"""Wire format between the service and its sandboxed processes: a length, then JSON.

Bytes may follow; the JSON then has their lengths as `content_sizes`.
"""

import contextlib
import fcntl
import io
import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

_LENGTH_PREFIX: Final = struct.Struct(">I")
# The kernel's bound for users without rights.
_PIPE_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 20
# A process that was taken over must not fill the memory of the service.
_MAX_CONTENT_BYTES: Final = 800_000_000
_MAX_BODY_BYTES: Final = 300_000_000


class MalformedMessageError(Exception):
    """The other side has sent bytes that are no message."""


def enlarge(pipe: int) -> None:
    """Let a pipe hold as much as any user may: its sides then wake each other less often."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def pack(message: Mapping[str, object], contents: Sequence[bytes] = ()) -> bytes:
    """Return the bytes of one message, which `contents` are to follow."""
    if contents:
        message = {**message, "content_sizes": [len(content) for content in contents]}
    body = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    return _LENGTH_PREFIX.pack(len(body)) + body


def send(message: Mapping[str, object], descriptor: int, contents: Sequence[bytes] = ()) -> None:
    """Write one whole message; a pipe may take less than all of it at once."""
    for part in (pack(message, contents), *contents):
        remaining = memoryview(part)
        while remaining:
            remaining = remaining[os.write(descriptor, remaining) :]


def receive(
    read: Callable[[int], bytes], parse_float: Callable[[str], object] | None = None
) -> Any:
    """Return the next message, or None when the other side is gone; raises MalformedMessageError.

    The caller names the message's type. `read(size)` returns 1 to `size` bytes, none at the end.
    A message with contents has them as `contents`; `parse_float` reads numbers with a fraction.
    """
    head = _read_exactly(_LENGTH_PREFIX.size, read)
    if head is None:
        return None
    (body_size,) = _LENGTH_PREFIX.unpack(head)
    if body_size > _MAX_BODY_BYTES:
        raise MalformedMessageError
    body = _read_exactly(body_size, read)
    if body is None:
        return None
    message = _parse(body, parse_float)
    if "content_sizes" in message:
        contents = [_read_exactly(size, read) for size in _sizes(message["content_sizes"])]
        if None in contents:
            return None
        message["contents"] = contents
    return message


def _parse(body: bytes, parse_float: Callable[[str], object] | None) -> dict[str, object]:
    try:
        message = json.loads(body, parse_float=parse_float)
    except (ValueError, RecursionError) as damage:
        raise MalformedMessageError from damage
    if not isinstance(message, dict):
        raise MalformedMessageError
    return message


def _sizes(sizes: object) -> list[int]:
    if (
        not isinstance(sizes, list)
        or not all(isinstance(size, int) and size >= 0 for size in sizes)
        or sum(sizes) > _MAX_CONTENT_BYTES
    ):
        raise MalformedMessageError
    return sizes


def _read_exactly(size: int, read: Callable[[int], bytes]) -> bytes | None:
    # It grows in place, and hands its bytes over without a copy.
    whole = io.BytesIO()
    while size:
        part = read(min(size, _CHUNK_BYTES))
        if not part:
            return None
        size -= whole.write(part)
    return whole.getvalue()
