"""Receiver of webhooks in a process of its own, which keeps the time of each arrival.

`POST /ok/<anything>` is answered 200 at once, `/late/<anything>` after 9.9 s, `/never/<anything>`
not at all.
"""

import asyncio
import contextlib
import json
import sys
import time
from typing import Final, NamedTuple, Self

from infra.bench.server_process import ServerProcess, tell
from infra.local.paths import free_port

_LATE_S: Final = 9.9


class Arrival(NamedTuple):
    """Path and event of a webhook, and the Unix time at which its head was there."""

    path: str
    event_id: str
    at: float


class BenchReceiver:
    """Receiver that runs inside the block."""

    def __init__(self) -> None:
        """Choose the port, by which the receiver is known before it runs."""
        self._port = free_port()
        self.egress_exemption = f"127.0.0.1/32:{self._port}"

    def __enter__(self) -> Self:
        """Start the receiver."""
        self._process = ServerProcess(__name__, str(self._port))
        return self

    def __exit__(self, *_: object) -> None:
        """End the receiver."""
        self._process.close()

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self._port}{path}"

    def arrivals(self, prefix: str) -> list[Arrival]:
        """Return the arrivals at paths that begin so, the first one of each event and path."""
        first: dict[tuple[str, str], Arrival] = {}
        for row in json.loads(self._process.state()):
            arrival = Arrival(*row)
            if arrival.path.startswith(prefix):
                first.setdefault((arrival.path, arrival.event_id), arrival)
        return list(first.values())

    def wait_for(self, prefix: str, count: int, timeout_s: float) -> list[Arrival]:
        """Return the first `count` arrivals at paths that begin so; raises AssertionError."""
        deadline = time.monotonic() + timeout_s
        while len(arrivals := self.arrivals(prefix)) < count:
            assert time.monotonic() < deadline, f"{len(arrivals)} of {count} have arrived"
            time.sleep(1)
        return sorted(arrivals, key=lambda each: each.at)[:count]


class _Server:
    """Server that answers by the first part of the path."""

    def __init__(self) -> None:
        self.arrivals: list[Arrival] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close its connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path, headers = _path_and_headers(head)
        self.arrivals.append(Arrival(path, headers["webhook-id"], time.time()))
        await reader.readexactly(int(headers["content-length"]))
        if path.startswith("/never/"):
            # The sender gives up.
            await reader.read()
            return
        if path.startswith("/late/"):
            await asyncio.sleep(_LATE_S)
        await _write_answer(writer, b"ok")


async def _write_answer(writer: asyncio.StreamWriter, body: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


def _path_and_headers(head: str) -> tuple[str, dict[str, str]]:
    first, *lines = head.split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    return first.split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs}


async def _serve(port: int) -> None:
    server = _Server()
    await asyncio.start_server(server.answer, "127.0.0.1", port, backlog=1024)
    await tell(lambda: json.dumps(server.arrivals))


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
