"""HTTP server of an email provider: it keeps its requests, and answers as a test says."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from socket import socket
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from tests.fakes.raw_server import RawServer, raw_server, read_request

# Plays one request: it gets the connection after the request was read.
type Fault = Callable[[socket], None]


class ProviderReply(NamedTuple):
    """Answer with JSON, or with `raw` content."""

    status: int = 200
    fields: object = None
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None

    def content(self) -> bytes:
        body = json.dumps(self.fields).encode() if self.raw is None else self.raw
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in self.headers),
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class ProviderCall(NamedTuple):
    """Request as it arrived; the names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    content: bytes

    @property
    def fields(self) -> Any:
        return json.loads(self.content)

    @property
    def form(self) -> dict[str, list[str]]:
        return parse_qs(self.content.decode())


class HttpProvider:
    """Provider whose next answers are `replies`, and then `usual`."""

    def __init__(self) -> None:
        self.replies: list[ProviderReply | Fault] = []
        self.usual = ProviderReply()
        self.server: RawServer

    @property
    def calls(self) -> list[ProviderCall]:
        return [_call(request) for request in self.server.requests]

    def play(self, connection: socket) -> None:
        while True:
            read_request(connection)
            reply = self.replies.pop(0) if self.replies else self.usual
            if not isinstance(reply, ProviderReply):
                reply(connection)
                return
            connection.sendall(reply.content())


@contextmanager
def http_provider() -> Iterator[HttpProvider]:
    """Run a provider."""
    provider = HttpProvider()
    with raw_server(provider.play) as server:
        provider.server = server
        yield provider


def _call(request: bytes) -> ProviderCall:
    head, _, content = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    headers = {name.lower(): value for name, value in fields.items()}
    return ProviderCall(first.split(" ")[1], headers, content)
