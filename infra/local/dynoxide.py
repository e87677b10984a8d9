"""Start of dynoxide where only signed requests reach it: `python -m infra.local.dynoxide`.

dynoxide 1.2.1 asks for a signature and does not check it. It runs in a network of its own, which
has nothing but its loopback, so that no other process of this machine reaches its port. This
process has a socket of the machine's network: it checks each request that comes there, and passes
it on unchanged.
"""

import asyncio
import contextlib
import datetime as dt
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final, cast, override

from infra.local.access.hosts import LOOPBACK_HOSTS
from infra.local.access.keys import AccessKey
from infra.local.access.signatures import ReceivedRequest, UnsignedError, check_signature

# DynamoDB takes requests of at most 16 MB.
MAX_BODY_BYTES: Final = 17 * 1024 * 1024
_MAX_HEAD_BYTES: Final = 64 * 1024
_INNER: Final = ("127.0.0.1", 8000)
_START_INTERVAL_S: Final = 0.02
_END_OF_HEAD: Final = b"\r\n\r\n"
# netdevice(7): SIOCSIFFLAGS and IFF_UP.
_SET_FLAGS: Final = 0x8914
_UP: Final = 1


def enter_own_network() -> None:
    """Leave the machine's network for one with a loopback only; open sockets stay where they are.

    Raises OSError without user namespaces, which `make setup` asks for.
    """
    os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP))


class Wall(asyncio.Protocol):
    """Check of the requests of one connection; those that are signed go on to dynoxide."""

    _transport: asyncio.Transport
    _inner: asyncio.Transport | None = None

    def __init__(self, key: AccessKey) -> None:
        """Let requests that are signed with `key` pass."""
        self._key = key
        self._received = bytearray()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connect to dynoxide."""
        self._transport = cast("asyncio.Transport", transport)
        self._connecting = asyncio.create_task(self._connect())

    @override
    def data_received(self, data: bytes) -> None:
        """Pass on the requests that are complete."""
        self._received += data
        self._pass_on()

    @override
    def connection_lost(self, _reason: Exception | None) -> None:
        """End the connection to dynoxide."""
        self._connecting.cancel()
        if self._inner is not None:
            self._inner.close()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        self._inner, _ = await loop.create_connection(lambda: _Answers(self._transport), *_INNER)
        self._pass_on()

    def _pass_on(self) -> None:
        try:
            while self._inner is not None and (raw := self._next_request()):
                self._inner.write(raw)
        except _RefusedError as refused:
            self._received.clear()
            self._transport.write(refused.answer)
            self._transport.close()

    def _next_request(self) -> bytes | None:
        """Return a request as it was sent, or None until it is complete; raises _RefusedError."""
        end = self._received.find(_END_OF_HEAD, 0, _MAX_HEAD_BYTES)
        if end < 0:
            if len(self._received) >= _MAX_HEAD_BYTES:
                raise _RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "")
            return None
        try:
            method, target, headers = _read_head(self._received[:end])
            start = end + len(_END_OF_HEAD)
            length = start + _body_length(headers)
        except ValueError as fault:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, f"{fault}\n") from fault
        if not LOOPBACK_HOSTS.has(headers.get("host")):
            raise _RefusedError(HTTPStatus.MISDIRECTED_REQUEST, LOOPBACK_HOSTS.refusal)
        if len(self._received) < length:
            return None
        raw = bytes(self._received[:length])
        del self._received[:length]
        path, _, query = target.partition("?")
        request = ReceivedRequest(method, path, query, headers, raw[start:])
        try:
            check_signature(request, self._key, dt.datetime.now(dt.UTC))
        except UnsignedError as fault:
            raise _RefusedError(HTTPStatus.FORBIDDEN, f"{fault}\n") from fault
        return raw


class _Answers(asyncio.Protocol):
    """Answers of dynoxide, for one caller; DynamoDB's have at most some megabytes."""

    def __init__(self, caller: asyncio.Transport) -> None:
        self._caller = caller

    @override
    def data_received(self, data: bytes) -> None:
        self._caller.write(data)

    @override
    def connection_lost(self, _reason: Exception | None) -> None:
        self._caller.close()


class _RefusedError(Exception):
    """A request does not pass; its caller gets `answer`."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        head = (
            f"HTTP/1.1 {int(status)} {status.phrase}\r\n"
            "Content-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(text.encode())}\r\nConnection: close\r\n"
            "X-Content-Type-Options: nosniff\r\n\r\n"
        )
        self.answer = head.encode() + text.encode()


def _read_head(head: bytearray) -> tuple[str, str, dict[str, str]]:
    """Return method, target and headers; raises ValueError for an ambiguous head."""
    request_line, *lines = head.decode("latin-1").split("\r\n")
    method, target, _version = request_line.split(" ")
    headers: dict[str, str] = {}
    for line in lines:
        name, separator, value = line.partition(":")
        name = name.lower()
        # Read in two ways, an unsigned request could pass within a signed one (RFC 9112, 11.2).
        if not separator or not name or name != name.strip() or name in headers:
            raise ValueError("a header is malformed or sent twice")
        headers[name] = value.strip()
    return method, target, headers


def _body_length(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not (text.isascii() and text.isdecimal()):
        raise ValueError("send the body with its Content-Length")
    if len(text) > len(str(MAX_BODY_BYTES)) or int(text) > MAX_BODY_BYTES:
        raise ValueError("the body is too large")
    return int(text)


async def _run(outer: socket.socket, command: Sequence[str]) -> int:
    wrapper = [sys.executable, "-S", "-E", str(Path(__file__).with_name("die_with_parent.py"))]
    host, inner_port = _INNER
    process = await asyncio.create_subprocess_exec(
        *wrapper, str(os.getpid()), *command, "--host", host, "--port", str(inner_port)
    )
    ended = asyncio.create_task(process.wait())
    while not ended.done():
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(*_INNER)
            writer.close()
            break
        await asyncio.sleep(_START_INTERVAL_S)
    key = AccessKey.from_variables(os.environ)
    server = await asyncio.get_running_loop().create_server(
        lambda: Wall(key), sock=outer, backlog=1024
    )
    async with server:
        return await ended


def main() -> int:
    """Serve on the port of the first argument until dynoxide, the other arguments, ends."""
    port, *command = sys.argv[1:]
    outer = socket.socket()
    outer.bind(("127.0.0.1", int(port)))
    # The socket is bound before: it stays in the network in which it was made.
    enter_own_network()
    return asyncio.run(_run(outer, command))


if __name__ == "__main__":
    sys.exit(main())
