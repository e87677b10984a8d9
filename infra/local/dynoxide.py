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
from typing import Final

from infra.local.access import hosts
from infra.local.access.keys import AccessKey
from infra.local.access.signatures import ReceivedRequest, UnsignedError, check_signature

# DynamoDB takes requests of at most 16 MB.
MAX_BODY_BYTES: Final = 17 * 1024 * 1024
_MAX_HEAD_BYTES: Final = 64 * 1024
_INNER: Final = ("127.0.0.1", 8000)
_START_INTERVAL_S: Final = 0.02
_CHUNK_BYTES: Final = 256 * 1024
# netdevice(7): SIOCSIFFLAGS and IFF_UP.
_SET_FLAGS: Final = 0x8914
_UP: Final = 1

type Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def enter_own_network() -> None:
    """Leave the machine's network for one with a loopback only; open sockets stay where they are.

    Raises OSError without user namespaces, which `make setup` asks for.
    """
    os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP))


class Wall:
    """What checks the requests of each connection, for which it has one to dynoxide."""

    def __init__(self, key: AccessKey) -> None:
        """Let requests that are signed with `key` pass."""
        self._key = key

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends, or until a request is refused."""
        answering: asyncio.Task[None] | None = None
        inner: Streams | None = None
        try:
            while raw := await self._checked_request(reader, writer):
                if inner is None:
                    inner = await asyncio.open_connection(*_INNER)
                    answering = asyncio.create_task(_pass_on(inner[0], writer))
                inner[1].write(raw)
                await inner[1].drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # The caller has gone, or sends what is no request.
        finally:
            if answering is not None:
                answering.cancel()
            for each in (writer, *(inner[1:] if inner else ())):
                each.close()

    async def _checked_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes | None:
        """Return a request as it was sent; None at the end, or after an answer that refuses."""
        head = await reader.readuntil(b"\r\n\r\n")
        try:
            method, target, headers = _parsed(head)
            length = _body_length(headers)
        except ValueError as fault:
            _refuse(writer, HTTPStatus.BAD_REQUEST, f"{fault}\n")
            return None
        if not hosts.is_own_host(headers.get("host")):
            _refuse(writer, HTTPStatus.MISDIRECTED_REQUEST, hosts.REFUSAL)
            return None
        body = await reader.readexactly(length)
        path, _, query = target.partition("?")
        try:
            request = ReceivedRequest(method, path, query, headers, body)
            check_signature(request, self._key, dt.datetime.now(dt.UTC))
        except UnsignedError as fault:
            _refuse(writer, HTTPStatus.FORBIDDEN, f"{fault}\n")
            return None
        return head + body


def _parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Return method, target and headers; raises ValueError for what can be read in two ways."""
    request_line, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, target, _version = request_line.split(" ")
    headers: dict[str, str] = {}
    for line in lines:
        name, separator, value = line.partition(":")
        name = name.lower()
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


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK_BYTES):
        writer.write(data)
        await writer.drain()
    writer.close()


def _refuse(writer: asyncio.StreamWriter, status: HTTPStatus, text: str) -> None:
    head = (
        f"HTTP/1.1 {int(status)} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(text)}\r\nConnection: close\r\n"
        "X-Content-Type-Options: nosniff\r\n\r\n"
    )
    writer.write(head.encode() + text.encode())


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
    wall = Wall(AccessKey.from_variables(os.environ))
    async with await asyncio.start_server(
        wall.serve, sock=outer, limit=_MAX_HEAD_BYTES, backlog=1024
    ):
        return await ended


def main() -> int:
    """Serve on the port of the first argument until dynoxide, the other arguments, ends."""
    port, *command = sys.argv[1:]
    outer = socket.socket()
    outer.bind(("127.0.0.1", int(port)))
    enter_own_network()
    return asyncio.run(_run(outer, command))


if __name__ == "__main__":
    sys.exit(main())
