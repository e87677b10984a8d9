"""HTTP proxy before an AWS emulator that fails as networks and services do."""

import http.server
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, override

import urllib3

from tests.fakes.aws_refusals import Refusal, refusal, unprocessed
from tests.fakes.fault_injector import FaultInjector, FaultKind

# Longer than any read timeout of these tests.
LATE_BY_S: Final = 2.0
_TARGET: Final = re.compile(r"(?:DynamoDB_\d+|AmazonSQS|secretsmanager)\.(?P<name>\w+)")
_SERVICE: Final = re.compile(r"Credential=[^/]+/\d+/[^/]+/(?P<service>\w+)/")
_DROPPED_HEADERS: Final = {"connection", "transfer-encoding", "content-length", "date", "server"}


class _Handler(http.server.BaseHTTPRequestHandler):
    """Forwards one request, unless a fault is drawn for it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "_Server"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        operation = self._operation()
        kind = self.server.faults.draw(operation, _fault_subject(operation, body))
        if kind in {"reset", "late", "late before"}:
            self._leave_unanswered(kind, body)
        elif kind in {"error before", "throttled", "conflict", "died before"}:
            self._send(*refusal(kind, operation, body))
        elif kind == "unprocessed":
            self._send(*unprocessed(body))
        else:
            self._answer_with_fault(kind, operation, body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer  # noqa: N815 -- http.server's names

    def _leave_unanswered(self, kind: FaultKind, body: bytes) -> None:
        if kind != "reset":
            time.sleep(LATE_BY_S)
        if kind == "late before":
            # The caller has timed out, and has most likely retried.
            if self.command == "PUT":
                self.server.faults.late_uploads.add(self.path.split("/", 2)[2])
            self._forward(body)
        self._hang_up()

    def _answer_with_fault(self, kind: FaultKind | None, operation: str, body: bytes) -> None:
        status, headers, content = self._forward(body)
        if kind == "late after":
            time.sleep(LATE_BY_S)
        if kind in {"lost", "late after"}:
            self._hang_up()
        elif kind in {"error after", "died after"}:
            self._send(*refusal(kind, operation, body))
        else:
            self._send(status, headers, content, cut=kind == "cut")

    def _forward(self, body: bytes) -> Refusal:
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in {"connection", "expect"}
        }
        answer = self.server.pool.request(
            self.command,
            self.server.upstream + self.path,
            body=body,
            headers=headers,
            redirect=False,
            retries=False,
            decode_content=False,
        )
        kept = {n: v for n, v in answer.headers.items() if n.lower() not in _DROPPED_HEADERS}
        return answer.status, kept, answer.data

    def _send(
        self, status: int, headers: dict[str, str], content: bytes, *, cut: bool = False
    ) -> None:
        with suppress(OSError):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def _operation(self) -> str:
        target = _TARGET.match(self.headers.get("X-Amz-Target", ""))
        signed = _SERVICE.search(self.headers.get("Authorization", ""))
        service = signed["service"] if signed else "s3"
        if target is not None:
            return f"{service}.{target['name']}"
        if service == "lambda":
            return "lambda.Invoke"
        return f"{service}.{self.command.capitalize()}Object"

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, upstream: str, faults: FaultInjector) -> None:
        self.upstream = upstream
        self.faults = faults
        self.pool = urllib3.PoolManager(maxsize=64, timeout=30)
        super().__init__(("127.0.0.1", 0), _Handler)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have hung up."""


@contextmanager
def fault_proxy(upstream: str, faults: FaultInjector) -> Iterator[str]:
    """Yield the URL of a proxy before `upstream`."""
    server = _Server(upstream, faults)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _fault_subject(operation: str, body: bytes) -> str | None:
    if operation != "lambda.Invoke":
        return None
    payload = json.loads(body)
    # The render function gets one name, the engine the other. A dry run has no render.
    found: str | None = payload.get("render_id") or payload.get("render")
    return found
