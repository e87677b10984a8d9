"""A web site on loopback that gives configured answers and records its requests."""

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, override

from tests.builders.waiting import PATIENCE_S

# Writes any bytes to the connection.
type WriteResponse = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class SitePage:
    """One answer."""

    body: bytes | str = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SiteRequest:
    """One request; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass
class Site:
    """A running site; `pages` may be changed while it runs."""

    port: int
    pages: dict[str, SitePage | WriteResponse]
    requests: list[SiteRequest] = field(default_factory=list)
    scheme: str = "http"

    @property
    def egress_allow(self) -> str:
        """Return the value of PLATEN_EGRESS_ALLOW that allows this site."""
        return f"127.0.0.1/32:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.requests]

    def url(self, path: str = "/") -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}{path}"


def raw_response(content: bytes) -> WriteResponse:
    """Return a handler that answers with these bytes, whether or not they are HTTP."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(content)

    return write


@contextmanager
def running_site(
    pages: Mapping[str, SitePage | WriteResponse], tls: ssl.SSLContext | None = None
) -> Iterator[Site]:
    """Serve pages by their path with query; any other path is a 404."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = PATIENCE_S

        def _answer(self) -> None:
            size = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(size)
            running.requests.append(SiteRequest(self.command, self.path, headers, body))
            found = running.pages.get(self.path, SitePage("not here", status=404))
            if callable(found):
                self.close_connection = True
                found(self)
                return
            content = found.body.encode() if isinstance(found.body, str) else found.body
            self.send_response(found.status)
            self.send_header("Content-Type", found.content_type)
            self.send_header("Content-Length", str(len(content)))
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_OPTIONS = do_HEAD = _answer  # noqa: N815 -- named by the library

        @override
        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        @override
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignore errors: clients that hang up are part of the tests."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        running = Site(server.server_port, dict(pages), scheme=scheme)
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield running
        finally:
            server.shutdown()
