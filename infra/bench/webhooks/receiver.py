"""Receiver of webhooks in a process of its own, which keeps the time of each arrival.

`POST /ok/<anything>` is answered 200 at once, `/late/<anything>` after 9.9 s, `/never/<anything>`
not at all. `GET /arrivals` has what arrived so far.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Final, NamedTuple

from infra.template import ROOT

_LATE_S: Final = 9.9


class Arrival(NamedTuple):
    """Path and event of a webhook, and the Unix time at which its head was there."""

    path: str
    event_id: str
    at: float


class BenchReceiver(NamedTuple):
    """Running receiver."""

    port: int

    @property
    def egress_exemption(self) -> str:
        """Return the value of PLATEN_EGRESS_ALLOW with which it can be reached."""
        return f"127.0.0.1/32:{self.port}"

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def arrivals(self, prefix: str) -> list[Arrival]:
        """Return what has arrived at paths that begin so, the first one of each event and path."""
        with urllib.request.urlopen(self.url("/arrivals"), timeout=10) as answer:  # noqa: S310
            rows = [Arrival(*row) for row in json.load(answer)]
        first: dict[tuple[str, str], Arrival] = {}
        for row in rows:
            if row.path.startswith(prefix):
                first.setdefault((row.path, row.event_id), row)
        return list(first.values())

    def wait_for(self, prefix: str, count: int, timeout_s: float) -> list[Arrival]:
        """Return the first `count` arrivals at paths that begin so; raises AssertionError."""
        deadline = time.monotonic() + timeout_s
        while len(arrivals := self.arrivals(prefix)) < count:
            assert time.monotonic() < deadline, f"{len(arrivals)} of {count} have arrived"
            time.sleep(1)
        return sorted(arrivals, key=lambda each: each.at)[:count]


@contextlib.contextmanager
def bench_receiver() -> Iterator[BenchReceiver]:
    """Run a receiver inside the block."""
    command = [sys.executable, "-m", "infra.bench.webhooks.receiver"]
    # It ends when its input does, so also when this process is killed.
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield BenchReceiver(int(process.stdout.readline()))
        finally:
            process.stdin.close()


class _Server:
    """Server that answers by the first part of the path."""

    def __init__(self) -> None:
        self._arrivals: list[Arrival] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close its connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path, headers = _path_and_headers(head)
        if path == "/arrivals":
            await _write_answer(writer, json.dumps(self._arrivals).encode())
            return
        self._arrivals.append(Arrival(path, headers["webhook-id"], time.time()))
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


async def _serve() -> None:
    server = await asyncio.start_server(_Server().answer, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve())
